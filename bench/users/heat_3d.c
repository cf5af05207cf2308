#include "users.h"

STAGE double other[n][n][n];

static void sweep(const double u[restrict n][n][n], double out[restrict n][n][n]) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      if (k == 0 || k == n - 1 || j == 0 || j == n - 1) {
        memcpy(out[k][j], u[k][j], sizeof u[k][j]);
        continue;
      }
      out[k][j][0] = u[k][j][0];
      for (int i = 1; i < n - 1; ++i)
        out[k][j][i] = 0.125 * (u[k - 1][j][i] - 2 * u[k][j][i] + u[k + 1][j][i]) +
                       0.125 * (u[k][j - 1][i] - 2 * u[k][j][i] + u[k][j + 1][i]) +
                       0.125 * (u[k][j][i - 1] - 2 * u[k][j][i] + u[k][j][i + 1]) + u[k][j][i];
      out[k][j][n - 1] = u[k][j][n - 1];
    }
}

void plain(const double a[n][n][n], double after[n][n][n]) {
  sweep(a, other);
  for (int t = 1; t < 7; t += 2) sweep(other, after), sweep(after, other);
  sweep(other, after);
}
