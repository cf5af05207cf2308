#define ELEMENT float
#include "gallery.h"

static inline float flow(float d, float k) { return d * expf(-(d / k) * (d / k)); }

static void plain(const float *image, float contrast, float step, float *restrict smoothed) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const float *up = image + (j > 0 ? j - 1 : 0) * n, *row = image + j * n, *down = image + (j < n - 1 ? j + 1 : j) * n;
    for (long i = 0; i < n; ++i) {
      const float c = row[i], left = row[i > 0 ? i - 1 : 0], right = row[i < n - 1 ? i + 1 : i];
      smoothed[j * n + i] = c + step * (flow(up[i] - c, contrast) + flow(down[i] - c, contrast) +
                                        flow(left - c, contrast) + flow(right - c, contrast));
    }
  }
}

int main(void) {
  const float *image = data(n * n, 1);
  float *expected = zeros(n * n), *smoothed = zeros(n * n);
  MEASURE(plain(image, 0.1f, 0.2f, expected), KERNEL(image, 0.1f, 0.2f, smoothed));
  return differ(expected, smoothed, n * n);
}
