#include "users.h"

static inline void rows_around(const double u[n][n], const double above[n], const double below[n], int j, const double **up,
                               const double **down) {
  *up = j > 0 ? u[j - 1] : above, *down = j < n - 1 ? u[j + 1] : below;
}

#define REST(i, l, r) (up[i] + (l) + (r) + down[i] - 4 * row[i] - f[j][i])

static void half(double u[n][n], const double f[n][n], const double above[n], const double below[n], const double left[n],
                 const double right[n], double omega, int colour) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const double *up, *down;
    double *row = u[j];
    rows_around((const double(*)[n])u, above, below, j, &up, &down);
    int i = (j + colour) % 2;
    if (i == 0) row[0] += 0.25 * omega * REST(0, left[j], row[1]), i = 2;
#pragma omp simd
    for (int k = i; k < n - 1; k += 2) row[k] += 0.25 * omega * REST(k, row[k - 1], row[k + 1]);
    if ((n - 1 + j) % 2 == colour) row[n - 1] += 0.25 * omega * REST(n - 1, row[n - 2], right[j]);
  }
}

void plain(double u[n][n], const double f[n][n], const double above[n], const double below[n], const double left[n],
           const double right[n], double omega, double squares[1]) {
  for (int t = 0; t < 4; ++t) half(u, f, above, below, left, right, omega, t % 2);
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int j = 0; j < n; ++j) {
    const double *up, *down, *row = u[j];
    rows_around((const double(*)[n])u, above, below, j, &up, &down);
    const double first = REST(0, left[j], row[1]), last = REST(n - 1, row[n - 2], right[j]);
    double s = first * first + last * last;
#pragma omp simd reduction(+ : s)
    for (int i = 1; i < n - 1; ++i) {
      const double r = REST(i, row[i - 1], row[i + 1]);
      s += r * r;
    }
    sum += s;
  }
  squares[0] = sum;
}
