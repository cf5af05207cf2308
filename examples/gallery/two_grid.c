#include "gallery.h"

#include "cycle.h"

enum { half = (n + 1) / 2 };

static double *r, *g, *e;

static void plain(double *u, const double *f) {
  for (int t = 0; t < 2; ++t) half_sweep(u, f, n, t);
  left_over(u, f, r, n);
  coarser(r, n, g, half);
  memset(e, 0, sizeof(double) * half * half);
  for (int t = 0; t < 40; ++t) half_sweep(e, g, half, t % 2);
  correct(u, n, e, half);
  for (int t = 0; t < 2; ++t) half_sweep(u, f, n, t);
}

int main(void) {
  double *u = data(n * n, 1), *u_expected = data(n * n, 1);
  const double *f = data(n * n, 2);
  r = zeros(n * n), g = zeros(half * half), e = zeros(half * half);
  MEASURE(plain(u_expected, f), KERNEL(u, f));
  if (differ(u_expected, u, n * n)) return 1;
  if (n > 100) return 0; /* few sweeps do not solve a large coarse grid */
  const double before = rest(u, f, n);
  for (int cycle = 0; cycle < 3; ++cycle) KERNEL(u, f);
  return diverges(before, rest(u, f, n), 0.3);
}
