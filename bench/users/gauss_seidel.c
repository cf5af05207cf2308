#include "users.h"

void plain(const double u[n + 2][m + 2], const double f[n][m], double v[restrict n][m]) {
  for (int j = 0; j < n; ++j) {
    const double *above = j ? v[j - 1] : u[0] + 1, *own = u[j + 1], *below = u[j + 2];
    double left = own[0], sum[m];
#pragma omp simd
    for (int i = 0; i < m; ++i) sum[i] = above[i] + own[i + 2] + below[i + 1] + f[j][i];
    for (int i = 0; i < m; ++i) v[j][i] = left = 0.25 * (left + sum[i]);
  }
}
