#include "gallery.h"

static long near(long i) { return i < 0 ? 0 : i < n ? i : n - 1; }

static void sweep(const double *u, double *out) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const double *a = u + near(j - 1) * n, *b = u + j * n, *c = u + near(j + 1) * n;
    for (long i = 0; i < n; i += n - 1)
      out[j * n + i] = (a[near(i - 1)] + 2 * a[i] + a[near(i + 1)] +
                        2 * (b[near(i - 1)] + 2 * b[i] + b[near(i + 1)]) + c[near(i - 1)] + 2 * c[i] + c[near(i + 1)]) / 16;
    for (long i = 1; i < n - 1; ++i)
      out[j * n + i] = (a[i - 1] + 2 * a[i] + a[i + 1] + 2 * (b[i - 1] + 2 * b[i] + b[i + 1]) + c[i - 1] + 2 * c[i] +
                        c[i + 1]) / 16;
  }
}

static double *even, *odd;

static void plain(const double *image, double *smooth) {
  const double *from = image;
  for (int t = 0; t < 10; ++t) {
    double *to = t == 9 ? smooth : t % 2 ? odd : even;
    sweep(from, to);
    from = to;
  }
}

int main(void) {
  const double *image = data(n * n, 1);
  double *expected = zeros(n * n), *smooth = zeros(n * n);
  even = zeros(n * n), odd = zeros(n * n);
  MEASURE(plain(image, expected), KERNEL(image, smooth));
  return differ(expected, smooth, n * n);
}
