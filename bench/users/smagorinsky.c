#include "users.h"

static inline double square(double x) { return x * x; }
static inline double limited(double tau, double t, double s) {
  const double c = tau * sqrt(t + s) - 0.01;
  return c < 0 ? 0 : c > 0.5 ? 0.5 : c;
}

void plain(const double u[levels][n][m], const double v[levels][n][m], const double grid[n], double tau,
           double u_next[restrict levels][n - 4][m - 4], double v_next[restrict levels][n - 4][m - 4]) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < levels; ++k) {
    double t[n][m], s[n][m];
    for (int j = 1; j < n - 1; ++j)
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) {
        t[j][i] = square(grid[j] * (v[k][j][i] - v[k][j - 1][i]) - (u[k][j][i] - u[k][j][i - 1]));
        s[j][i] = square((u[k][j + 1][i] - u[k][j][i]) + grid[j] * (v[k][j][i + 1] - v[k][j][i]));
      }
    for (int j = 2; j < n - 2; ++j)
#pragma omp simd
      for (int i = 2; i < m - 2; ++i) {
        const double cu = limited(tau, 0.5 * (t[j][i] + t[j][i + 1]), 0.5 * (s[j - 1][i] + s[j][i]));
        const double cv = limited(tau, 0.5 * (t[j][i] + t[j + 1][i]), 0.5 * (s[j][i - 1] + s[j][i]));
        u_next[k][j - 2][i - 2] =
            u[k][j][i] + cu * (u[k][j - 1][i] + u[k][j][i - 1] + u[k][j][i + 1] + u[k][j + 1][i] - 4 * u[k][j][i]);
        v_next[k][j - 2][i - 2] =
            v[k][j][i] + cv * (v[k][j - 1][i] + v[k][j][i - 1] + v[k][j][i + 1] + v[k][j + 1][i] - 4 * v[k][j][i]);
      }
  }
}
