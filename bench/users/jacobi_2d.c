#include "users.h"

STAGE double other[n][n];

static void sweep(const double u[restrict n][n], double out[restrict n][n]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    if (j == 0 || j == n - 1) {
      memcpy(out[j], u[j], sizeof u[j]);
      continue;
    }
    out[j][0] = u[j][0];
    for (int i = 1; i < n - 1; ++i) out[j][i] = 0.2 * (u[j][i] + u[j][i - 1] + u[j][i + 1] + u[j + 1][i] + u[j - 1][i]);
    out[j][n - 1] = u[j][n - 1];
  }
}

void plain(const double a[n][n], double after[n][n]) {
  sweep(a, other);
  for (int t = 1; t < 19; t += 2) sweep(other, after), sweep(after, other);
  sweep(other, after);
}
