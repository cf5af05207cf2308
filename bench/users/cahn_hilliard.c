#include "users.h"

STAGE double mu[n][n], other[n][n];

static void next(const double c[restrict n][n], double step, double gamma, double out[restrict n][n]) {
#pragma omp parallel
  {
#define LAPLACIAN(x, i, l, r) (x[up][i] + x[j][l] + x[j][r] + x[down][i] - 4 * x[j][i])
#define POTENTIAL(i, l, r) mu[j][i] = c[j][i] * c[j][i] * c[j][i] - c[j][i] - gamma * LAPLACIAN(c, i, l, r)
#define NEXT(i, l, r) out[j][i] = c[j][i] + step * LAPLACIAN(mu, i, l, r)
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const int up = j > 0 ? j - 1 : n - 1, down = j < n - 1 ? j + 1 : 0;
      POTENTIAL(0, n - 1, 1);
#pragma omp simd
      for (int i = 1; i < n - 1; ++i) POTENTIAL(i, i - 1, i + 1);
      POTENTIAL(n - 1, n - 2, 0);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const int up = j > 0 ? j - 1 : n - 1, down = j < n - 1 ? j + 1 : 0;
      NEXT(0, n - 1, 1);
#pragma omp simd
      for (int i = 1; i < n - 1; ++i) NEXT(i, i - 1, i + 1);
      NEXT(n - 1, n - 2, 0);
    }
  }
}

void plain(const double c[n][n], double step, double gamma, double after[n][n]) {
  next(c, step, gamma, after);
  next(after, step, gamma, other);
  next(other, step, gamma, after);
}
