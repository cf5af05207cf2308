#include "gallery.h"

static double *cu, *cv, *z, *h;

static void flows(const double *p, const double *u, const double *v, long j, long i, long up, long down, long left, long right) {
  const long at = j * n + i;
  cu[at] = 0.5 * (p[at] + p[j * n + left]) * u[at];
  cv[at] = 0.5 * (p[at] + p[up * n + i]) * v[at];
  z[at] = (4 * (v[at] - v[j * n + left]) - 4 * (u[at] - u[up * n + i])) /
          (p[up * n + left] + p[up * n + i] + p[at] + p[j * n + left]);
  h[at] = p[at] + 0.25 * (u[j * n + right] * u[j * n + right] + u[at] * u[at] + v[down * n + i] * v[down * n + i] + v[at] * v[at]);
}

static void next(const double *p, const double *u, const double *v, double *p_next, double *u_next, double *v_next, long j, long i,
                 long up, long down, long left, long right) {
  const long at = j * n + i, below = down * n + i, beside = j * n + right;
  p_next[at] = p[at] - 0.01 * (cu[beside] - cu[at]) - 0.01 * (cv[below] - cv[at]);
  u_next[at] = u[at] + 0.002 * (z[below] + z[at]) * (cv[below] + cv[down * n + left] + cv[j * n + left] + cv[at]) -
               0.01 * (h[at] - h[j * n + left]);
  v_next[at] = v[at] - 0.002 * (z[beside] + z[at]) * (cu[beside] + cu[at] + cu[up * n + i] + cu[up * n + right]) -
               0.01 * (h[at] - h[up * n + i]);
}

static void plain(const double *p, const double *u, const double *v, double *restrict p_next, double *restrict u_next,
                  double *restrict v_next) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const long up = (j + n - 1) % n, down = (j + 1) % n;
    flows(p, u, v, j, 0, up, down, n - 1, 1);
    for (long i = 1; i < n - 1; ++i) flows(p, u, v, j, i, up, down, i - 1, i + 1);
    flows(p, u, v, j, n - 1, up, down, n - 2, 0);
  }
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const long up = (j + n - 1) % n, down = (j + 1) % n;
    next(p, u, v, p_next, u_next, v_next, j, 0, up, down, n - 1, 1);
    for (long i = 1; i < n - 1; ++i) next(p, u, v, p_next, u_next, v_next, j, i, up, down, i - 1, i + 1);
    next(p, u, v, p_next, u_next, v_next, j, n - 1, up, down, n - 2, 0);
  }
}

int main(void) {
  const double *p = data(n * n, 1), *u = data(n * n, 2), *v = data(n * n, 3);
  double *expected[3], *got[3];
  for (int k = 0; k < 3; ++k) expected[k] = zeros(n * n), got[k] = zeros(n * n);
  cu = zeros(n * n), cv = zeros(n * n), z = zeros(n * n), h = zeros(n * n);
  MEASURE(plain(p, u, v, expected[0], expected[1], expected[2]), KERNEL(p, u, v, got[0], got[1], got[2]));
  return differ(expected[0], got[0], n * n) | differ(expected[1], got[1], n * n) | differ(expected[2], got[2], n * n);
}
