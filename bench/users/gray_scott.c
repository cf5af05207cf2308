#include "users.h"

STAGE double u_other[n][n], v_other[n][n];

static void step(const double u[restrict n][n], const double v[restrict n][n], double feed, double kill,
                 double u_next[restrict n][n], double v_next[restrict n][n]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const int up = j > 0 ? j - 1 : n - 1, down = j < n - 1 ? j + 1 : 0;
#define CELL(i, left, right)                                                                                            \
  do {                                                                                                                  \
    const double x = u[j][i], y = v[j][i], uvv = x * y * y;                                                             \
    u_next[j][i] = x + 0.16 * (u[up][i] + u[j][left] + u[j][right] + u[down][i] - 4 * x) - uvv + feed * (1 - x);        \
    v_next[j][i] = y + 0.08 * (v[up][i] + v[j][left] + v[j][right] + v[down][i] - 4 * y) + uvv - (feed + kill) * y;     \
  } while (0)
    CELL(0, n - 1, 1);
    for (int i = 1; i < n - 1; ++i) CELL(i, i - 1, i + 1);
    CELL(n - 1, n - 2, 0);
  }
}

void plain(const double u[n][n], const double v[n][n], double feed, double kill, double u_next[n][n], double v_next[n][n]) {
  step(u, v, feed, kill, u_other, v_other);
  for (int t = 1; t < 5; t += 2) {
    step(u_other, v_other, feed, kill, u_next, v_next);
    step(u_next, v_next, feed, kill, u_other, v_other);
  }
  step(u_other, v_other, feed, kill, u_next, v_next);
}
