#include "users.h"

STAGE double y[n];

static double times(const double a[n][n], const double x[n], double out[restrict n], int squares) {
  double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
  for (int j = 0; j < n; ++j) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[j][i] * x[i];
    out[j] = sum, all += sum * (squares ? sum : x[j]);
  }
  return all;
}

void plain(const double a[n][n], const double x[n], double vector[n], double value[1]) {
  for (int t = 0; t < 3; ++t) {
    const double by = 1 / sqrt(times(a, t ? vector : x, y, 1));
    for (int i = 0; i < n; ++i) vector[i] = y[i] * by;
  }
  value[0] = times(a, vector, y, 0);
}
