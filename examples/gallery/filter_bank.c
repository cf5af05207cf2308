#include "gallery.h"

static void plain(const double *signal, const double *filters, double *restrict bank) {
  for (long b = 0; b < 8; ++b) {
    const double *f = filters + 9 * b;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n - 8; ++i) {
      double s = 0;
      for (long t = 0; t < 9; ++t) s += f[t] * signal[i + t];
      bank[b * (n - 8) + i] = s;
    }
  }
}

int main(void) {
  const double *signal = data(n, 1), *filters = data(72, 2);
  double *expected = zeros(8 * (n - 8)), *bank = zeros(8 * (n - 8));
  MEASURE(plain(signal, filters, expected), KERNEL(signal, filters, bank));
  return differ(expected, bank, 8 * (n - 8));
}
