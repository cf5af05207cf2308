#include "users.h"

STAGE double v[n][n], p[n][n], q[n][n];

static void step(const double u0[n][n], double a, double d, double u[n][n]) {
#pragma omp parallel
  {
    /* Along columns, all of a strip side by side. */
#pragma omp for schedule(static)
    for (int block = 1; block < n - 1; block += 32) {
      const int end = block + 32 < n - 1 ? block + 32 : n - 1;
      for (int i = block; i < end; ++i) v[0][i] = 1, p[0][i] = 0, q[0][i] = 1;
      for (int j = 1; j < n - 1; ++j)
#pragma omp simd
        for (int i = block; i < end; ++i) {
          const double by = 1 / (a * p[j - 1][i] + (1 - 2 * a));
          const double r = -d * u0[j][i - 1] + (1 + 2 * d) * u0[j][i] - d * u0[j][i + 1];
          p[j][i] = -a * by, q[j][i] = (r - a * q[j - 1][i]) * by;
        }
      for (int i = block; i < end; ++i) v[n - 1][i] = 1;
      for (int j = n - 2; j > 0; --j)
#pragma omp simd
        for (int i = block; i < end; ++i) v[j][i] = p[j][i] * v[j + 1][i] + q[j][i];
    }
    /* Along rows. */
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      if (j == 0 || j == n - 1) {
        for (int i = 0; i < n; ++i) u[j][i] = 1;
        continue;
      }
      double pj[n], qj[n], r[n];
      pj[0] = 0, qj[0] = 1;
#pragma omp simd
      for (int i = 1; i < n - 1; ++i) r[i] = -a * v[j - 1][i] + (1 + 2 * a) * v[j][i] - a * v[j + 1][i];
      for (int i = 1; i < n - 1; ++i) {
        const double by = 1 / (d * pj[i - 1] + (1 - 2 * d));
        pj[i] = -d * by, qj[i] = (r[i] - d * qj[i - 1]) * by;
      }
      u[j][n - 1] = 1;
      for (int i = n - 2; i > 0; --i) u[j][i] = pj[i] * u[j][i + 1] + qj[i];
      u[j][0] = 1;
    }
  }
}

void plain(const double u[n][n], double a, double d, double after[n][n]) {
  step(u, a, d, after);
  step(after, a, d, after);
}
