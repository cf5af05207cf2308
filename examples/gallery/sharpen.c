#define ELEMENT float
#include "gallery.h"

static long mirror(long i) { return i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i; }

static float *rows;

static void plain(const float *image, float *restrict sharp) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const float *x = image + j * n;
    float *r = rows + j * n;
    for (long i = 0; i < n; i = i == 1 ? n - 2 : i + 1)
      r[i] = (x[mirror(i - 2)] + 4 * x[mirror(i - 1)] + 6 * x[i] + 4 * x[mirror(i + 1)] + x[mirror(i + 2)]) / 16;
    for (long i = 2; i < n - 2; ++i) r[i] = (x[i - 2] + 4 * x[i - 1] + 6 * x[i] + 4 * x[i + 1] + x[i + 2]) / 16;
  }
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const float *a = rows + mirror(j - 2) * n, *b = rows + mirror(j - 1) * n, *c = rows + j * n,
                *d = rows + mirror(j + 1) * n, *e = rows + mirror(j + 2) * n, *x = image + j * n;
    for (long i = 0; i < n; ++i)
      sharp[j * n + i] = x[i] + 0.6f * (x[i] - (a[i] + 4 * b[i] + 6 * c[i] + 4 * d[i] + e[i]) / 16);
  }
}

int main(void) {
  const float *image = data(n * n, 1);
  float *expected = zeros(n * n), *sharp = zeros(n * n);
  rows = zeros(n * n);
  MEASURE(plain(image, expected), KERNEL(image, sharp));
  return differ(expected, sharp, n * n);
}
