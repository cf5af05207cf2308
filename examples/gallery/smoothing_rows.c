#include "gallery.h"

static void plain(const double *series, double *restrict smooth) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < 512; ++j) {
    double y = 0;
    for (long i = 0; i < n; ++i) smooth[j * n + i] = y = 0.8 * y + 0.2 * series[j * n + i];
    y = 0;
    for (long i = n; i-- > 0;) smooth[j * n + i] = y = 0.8 * y + 0.2 * smooth[j * n + i];
  }
}

int main(void) {
  const double *series = data(512 * n, 1);
  double *expected = zeros(512 * n), *smooth = zeros(512 * n);
  MEASURE(plain(series, expected), KERNEL(series, smooth));
  return differ(expected, smooth, 512 * n);
}
