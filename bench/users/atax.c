#include "users.h"

void plain(const double a[n][m], const double x[m], double y[restrict m]) {
  memset(y, 0, sizeof(double[m]));
#pragma omp parallel for schedule(static) reduction(+ : y[ : m])
  for (int j = 0; j < n; ++j) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < m; ++i) sum += a[j][i] * x[i];
#pragma omp simd
    for (int i = 0; i < m; ++i) y[i] += a[j][i] * sum;
  }
}
