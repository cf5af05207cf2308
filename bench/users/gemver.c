#include "users.h"

void plain(const double a[n][n], const double u1[n], const double v1[n], const double u2[n], const double v2[n],
           const double y[n], const double z[n], double alpha, double beta, double b[restrict n][n], double x[restrict n],
           double w[restrict n]) {
  memset(x, 0, sizeof(double[n]));
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : x[ : n])
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < n; ++i) {
        b[j][i] = a[j][i] + u1[j] * v1[i] + u2[j] * v2[i];
        x[i] += b[j][i] * y[j];
      }
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) x[i] = beta * x[i] + z[i];
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      double s = 0;
#pragma omp simd reduction(+ : s)
      for (int i = 0; i < n; ++i) s += b[j][i] * x[i];
      w[j] = alpha * s;
    }
  }
}
