#include "users.h"

STAGE double d[n][m], other[n][m];

static void sweep(const double p[restrict n][m], double out[restrict n][m]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const double *up = p[j > 0 ? j - 1 : 0], *here = p[j], *down = p[j < n - 1 ? j + 1 : j];
    out[j][0] = 0.25 * (up[0] + here[0] + here[1] + down[0] - d[j][0]);
    for (int i = 1; i < m - 1; ++i) out[j][i] = 0.25 * (up[i] + here[i - 1] + here[i + 1] + down[i] - d[j][i]);
    out[j][m - 1] = 0.25 * (up[m - 1] + here[m - 2] + here[m - 1] + down[m - 1] - d[j][m - 1]);
  }
}

void plain(const double u[n][m + 1], const double v[n + 1][m], const double p[n][m], double u_next[restrict n][m + 1],
           double v_next[restrict n + 1][m], double pressure[n][m]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) d[j][i] = u[j][i + 1] - u[j][i] + v[j + 1][i] - v[j][i];
  sweep(p, other);
  for (int t = 1; t < 11; t += 2) sweep(other, pressure), sweep(pressure, other);
  sweep(other, pressure);
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    u_next[j][0] = u[j][0], u_next[j][m] = u[j][m];
#pragma omp simd
    for (int i = 1; i < m; ++i) u_next[j][i] = u[j][i] - (pressure[j][i] - pressure[j][i - 1]);
    if (j == 0)
      memcpy(v_next[0], v[0], sizeof v[0]);
    else
#pragma omp simd
      for (int i = 0; i < m; ++i) v_next[j][i] = v[j][i] - (pressure[j][i] - pressure[j - 1][i]);
  }
  memcpy(v_next[n], v[n], sizeof v[n]);
}
