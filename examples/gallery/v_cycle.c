#include "gallery.h"

#include "cycle.h"

enum { middle = (n + 1) / 2, coarse = (n + 3) / 4 };

static double *r1, *r2, *f2, *f3, *u2, *u3;

static void plain(double *u, const double *f) {
  for (int t = 0; t < 2; ++t) half_sweep(u, f, n, t);
  left_over(u, f, r1, n);
  coarser(r1, n, f2, middle);
  memset(u2, 0, sizeof(double) * middle * middle);
  for (int t = 0; t < 2; ++t) half_sweep(u2, f2, middle, t);
  left_over(u2, f2, r2, middle);
  coarser(r2, middle, f3, coarse);
  memset(u3, 0, sizeof(double) * coarse * coarse);
  for (int t = 0; t < 8; ++t) half_sweep(u3, f3, coarse, t % 2);
  correct(u2, middle, u3, coarse);
  for (int t = 0; t < 2; ++t) half_sweep(u2, f2, middle, t);
  correct(u, n, u2, middle);
  for (int t = 0; t < 2; ++t) half_sweep(u, f, n, t);
}

int main(void) {
  double *u = data(n * n, 1), *u_expected = data(n * n, 1);
  const double *f = data(n * n, 2);
  r1 = zeros(n * n), r2 = zeros(middle * middle), f2 = zeros(middle * middle), f3 = zeros(coarse * coarse);
  u2 = zeros(middle * middle), u3 = zeros(coarse * coarse);
  MEASURE(plain(u_expected, f), KERNEL(u, f));
  if (differ(u_expected, u, n * n)) return 1;
  if (n > 100) return 0; /* few sweeps do not solve a large coarse grid */
  const double before = rest(u, f, n);
  for (int cycle = 0; cycle < 3; ++cycle) KERNEL(u, f);
  return diverges(before, rest(u, f, n), 0.3);
}
