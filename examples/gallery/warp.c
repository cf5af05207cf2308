#define ELEMENT float
#include "gallery.h"

static int clamped(int i) { return i < 0 ? 0 : i < n ? i : n - 1; }

static void plain(const float *image, const float *dy, const float *dx, float *restrict warped) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      const float y = (float)j + dy[j * n + i], x = (float)i + dx[j * n + i];
      const float below = floorf(y), left = floorf(x), ty = y - below, tx = x - left;
      const float *a = image + (long)clamped((int)below) * n, *b = image + (long)clamped((int)below + 1) * n;
      const int l = clamped((int)left), r = clamped((int)left + 1);
      warped[j * n + i] = (1 - ty) * ((1 - tx) * a[l] + tx * a[r]) + ty * ((1 - tx) * b[l] + tx * b[r]);
    }
}

int main(void) {
  const float *image = data(n * n, 1);
  float *dy = zeros(n * n), *dx = zeros(n * n), *expected = zeros(n * n), *warped = zeros(n * n);
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      dy[j * n + i] = 9 * (float)sin(0.011 * (double)j + 0.007 * (double)i);
      dx[j * n + i] = 9 * (float)cos(0.013 * (double)i - 0.005 * (double)j);
    }
  MEASURE(plain(image, dy, dx, expected), KERNEL(image, dy, dx, warped));
  return differ(expected, warped, n * n);
}
