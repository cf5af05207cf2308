#include "gallery.h"

static void plain(double *e, double *x, double *y) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j < n - 1; ++j)
    for (long i = 1; i < n - 1; ++i)
      e[j * n + i] += 0.5 * ((y[j * n + i] - y[j * n + i - 1]) - (x[j * n + i] - x[(j - 1) * n + i]));
#pragma omp parallel for schedule(static)
  for (long j = 1; j < n - 1; ++j)
    for (long i = 1; i < n - 1; ++i) {
      x[j * n + i] -= 0.5 * (e[(j + 1) * n + i] - e[j * n + i]);
      y[j * n + i] += 0.5 * (e[j * n + i + 1] - e[j * n + i]);
    }
}

int main(void) {
  double *e = data(n * n, 1), *x = data(n * n, 2), *y = data(n * n, 3);
  double *e_expected = data(n * n, 1), *x_expected = data(n * n, 2), *y_expected = data(n * n, 3);
  MEASURE(plain(e_expected, x_expected, y_expected), KERNEL(e, x, y));
  return differ(e_expected, e, n * n) | differ(x_expected, x, n * n) | differ(y_expected, y, n * n);
}
