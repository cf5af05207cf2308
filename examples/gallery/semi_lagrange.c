#define ELEMENT float
#include "gallery.h"

/* Winds carry less than the plane in a step. */
static int wrapped(int i) { return i < 0 ? i + n : i < n ? i : i - n; }

static float *other;

static void step(const float *q, const float *v, const float *u, float *restrict next) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      const float y = (float)j - v[j * n + i], x = (float)i - u[j * n + i];
      const float below = floorf(y), left = floorf(x), ty = y - below, tx = x - left;
      const float *a = q + (long)wrapped((int)below) * n, *b = q + (long)wrapped((int)below + 1) * n;
      const int l = wrapped((int)left), r = wrapped((int)left + 1);
      next[j * n + i] = (1 - ty) * ((1 - tx) * a[l] + tx * a[r]) + ty * ((1 - tx) * b[l] + tx * b[r]);
    }
}

static void plain(const float *q, const float *v, const float *u, float *advected) {
  step(q, v, u, other);
  step(other, v, u, advected);
  step(advected, v, u, other);
  step(other, v, u, advected);
}

int main(void) {
  const float *q = data(n * n, 1);
  float *v = zeros(n * n), *u = zeros(n * n), *expected = zeros(n * n), *advected = zeros(n * n);
  other = zeros(n * n);
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      v[j * n + i] = 3 * (float)sin(0.011 * (double)i);
      u[j * n + i] = 3 * (float)cos(0.013 * (double)j);
    }
  MEASURE(plain(q, v, u, expected), KERNEL(q, v, u, advected));
  return differ(expected, advected, n * n);
}
