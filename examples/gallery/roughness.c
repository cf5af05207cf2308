#include "gallery.h"

static void plain(const double *u, double *sum) {
  double s = 0;
#pragma omp parallel for schedule(static) reduction(+ : s)
  for (long j = 1; j < n - 1; ++j)
    for (long i = 1; i < n - 1; ++i) {
      const double *p = u + j * n + i, d = p[-n] + p[-1] + p[1] + p[n] - 4 * p[0];
      s += d * d;
    }
  *sum = s;
}

int main(void) {
  const double *surface = data(n * n, 1);
  double expected = 0, *sum = zeros(1);
  MEASURE(plain(surface, &expected), KERNEL(surface, sum));
  return differ(&expected, sum, 1);
}
