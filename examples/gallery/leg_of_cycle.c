#include "gallery.h"

enum { m = n - 2, coarse = (n - 3) / 2 };

static void half_sweep(double *v, const double *f, int colour) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < m; ++j)
    for (long i = (j + colour) % 2; i < m; i += 2) {
      double *w = v + (j + 1) * n + i + 1;
      *w = (w[-n] + w[-1] + w[1] + w[n] - f[(j + 1) * n + i + 1]) / 4;
    }
}

static double *r;

static void plain(double *v, const double *f, double *restrict out) {
  for (int t = 0; t < 4; ++t) half_sweep(v, f, t % 2);
#pragma omp parallel for schedule(static)
  for (long j = 0; j < m; ++j)
    for (long i = 0; i < m; ++i) {
      const double *w = v + (j + 1) * n + i + 1;
      r[j * m + i] = f[(j + 1) * n + i + 1] - (w[-n] + w[-1] + w[1] + w[n] - 4 * w[0]);
    }
#pragma omp parallel for schedule(static)
  for (long j = 0; j < coarse; ++j)
    for (long i = 0; i < coarse; ++i) {
      const double *w = r + (2 * j + 1) * m + 2 * i + 1;
      out[j * coarse + i] =
          (4 * w[0] + 2 * (w[-m] + w[-1] + w[1] + w[m]) + w[-m - 1] + w[-m + 1] + w[m - 1] + w[m + 1]) / 16;
    }
}

int main(void) {
  double *v = data(n * n, 1), *v_expected = data(n * n, 1);
  const double *f = data(n * n, 2);
  double *expected = zeros(coarse * coarse), *got = zeros(coarse * coarse);
  r = zeros(m * m);
  MEASURE(plain(v_expected, f, expected), KERNEL(v, f, got));
  return differ(v_expected, v, n * n) | differ(expected, got, coarse * coarse);
}
