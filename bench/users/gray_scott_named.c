#include "users.h"

STAGE float u_other[n][m], v_other[n][m];

static void step(const float u[restrict n][m], const float v[restrict n][m], float feed, float kill, float du, float dv,
                 float u_next[restrict n][m], float v_next[restrict n][m]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const int up = j > 0 ? j - 1 : 0, down = j < n - 1 ? j + 1 : j;
#define NINE(x, i, l, r)                                                                                                  \
  (0.2f * (x[up][i] + x[j][l] + x[j][r] + x[down][i]) + 0.05f * (x[up][l] + x[up][r] + x[down][l] + x[down][r]) - x[j][i])
#define CELL(i, l, r)                                                                                 \
  do {                                                                                                \
    const float x = u[j][i], y = v[j][i], xyy = x * y * y;                                            \
    u_next[j][i] = x + du * NINE(u, i, l, r) - xyy + feed * (1 - x);                                  \
    v_next[j][i] = y + dv * NINE(v, i, l, r) + xyy - (feed + kill) * y;                               \
  } while (0)
    CELL(0, 0, 1);
    for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
    CELL(m - 1, m - 2, m - 1);
  }
}

void plain(const float u[n][m], const float v[n][m], float feed, float kill, float du, float dv, float u_next[n][m],
           float v_next[n][m]) {
  step(u, v, feed, kill, du, dv, u_other, v_other);
  step(u_other, v_other, feed, kill, du, dv, u_next, v_next);
  step(u_next, v_next, feed, kill, du, dv, u_other, v_other);
  step(u_other, v_other, feed, kill, du, dv, u_next, v_next);
}
