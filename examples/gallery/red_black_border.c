#include "gallery.h"

static const double *f, *above, *below, *left, *right;

static void half_sweep(double *u, int colour) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const double *up = j == 0 ? above + 1 : u + (j - 1) * n, *down = j == n - 1 ? below + 1 : u + (j + 1) * n;
    double *row = u + j * n;
    for (long i = (j + colour) % 2; i < n; i += 2)
      row[i] = (up[i] + (i == 0 ? left[j] : row[i - 1]) + (i == n - 1 ? right[j] : row[i + 1]) + down[i] - f[j * n + i]) / 4;
  }
}

static void plain(double *u) { half_sweep(u, 0), half_sweep(u, 1); }

int main(void) {
  double *u = data(n * n, 1), *expected = data(n * n, 1);
  f = data(n * n, 2), above = data(n + 2, 3), below = data(n + 2, 4), left = data(n, 5), right = data(n, 6);
  MEASURE(plain(expected), KERNEL(u, f, above, below, left, right));
  return differ(expected, u, n * n);
}
