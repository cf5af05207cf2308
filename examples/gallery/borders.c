#include "gallery.h"

static void plain(double *u) {
  for (long i = 0; i < n; ++i) u[i] = u[n + i], u[(n - 1) * n + i] = u[(n - 2) * n + i];
  for (long j = 0; j < n; ++j) u[j * n] = u[j * n + 1], u[j * n + n - 1] = u[j * n + n - 2];
}

int main(void) {
  double *u = data(n * n, 1), *expected = data(n * n, 1);
  MEASURE(plain(expected), KERNEL(u));
  return differ(expected, u, n * n);
}
