#define ELEMENT float
#include "gallery.h"

static int clamped(int i, int length) { return i < 0 ? 0 : i < length ? i : length - 1; }

static void plain(const float *curve, const float *image, float *restrict graded) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) {
      const float y = 256 * image[j * n + i], below = floorf(y), t = y - below;
      const int k = (int)below;
      graded[j * n + i] = (1 - t) * curve[clamped(k, 257)] + t * curve[clamped(k + 1, 257)];
    }
}

int main(void) {
  const float *curve = data(257, 1);
  float *image = zeros(n * n), *expected = zeros(n * n), *graded = zeros(n * n);
  for (long i = 0; i < n * n; ++i) image[i] = (float)(rand() % 1100) / 1000 - 0.05f; /* some beyond the table */
  MEASURE(plain(curve, image, expected), KERNEL(curve, image, graded));
  return differ(expected, graded, n * n);
}
