#include "users.h"

void plain(const double a[n][m], const double p[m], const double r[n], double q[restrict n], double s[restrict m]) {
  memset(s, 0, sizeof(double[m]));
#pragma omp parallel for schedule(static) reduction(+ : s[ : m])
  for (int j = 0; j < n; ++j) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < m; ++i) sum += a[j][i] * p[i], s[i] += a[j][i] * r[j];
    q[j] = sum;
  }
}
