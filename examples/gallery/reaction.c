#include "gallery.h"

static void point(const double *u, const double *v, double feed, double kill, double *u_next, double *v_next, long j, long i,
                  long up, long left, long right, long down) {
  const double x = u[j * n + i], y = v[j * n + i], reacts = x * y * y;
  u_next[j * n + i] = x + 0.16 * (u[up * n + i] + u[j * n + left] + u[j * n + right] + u[down * n + i] - 4 * x) - reacts +
                      feed * (1 - x);
  v_next[j * n + i] = y + 0.08 * (v[up * n + i] + v[j * n + left] + v[j * n + right] + v[down * n + i] - 4 * y) + reacts -
                      (feed + kill) * y;
}

static void plain(const double *u, const double *v, double feed, double kill, double *restrict u_next,
                  double *restrict v_next) {
#pragma omp parallel for schedule(static)
  for (long j = 0; j < n; ++j) {
    const long up = (j + n - 1) % n, down = (j + 1) % n;
    point(u, v, feed, kill, u_next, v_next, j, 0, up, n - 1, 1, down);
    for (long i = 1; i < n - 1; ++i) point(u, v, feed, kill, u_next, v_next, j, i, up, i - 1, i + 1, down);
    point(u, v, feed, kill, u_next, v_next, j, n - 1, up, n - 2, 0, down);
  }
}

int main(void) {
  const double *u = data(n * n, 1), *v = data(n * n, 2);
  double *u_expected = zeros(n * n), *v_expected = zeros(n * n), *u_next = zeros(n * n), *v_next = zeros(n * n);
  MEASURE(plain(u, v, 0.04, 0.06, u_expected, v_expected), KERNEL(u, v, 0.04, 0.06, u_next, v_next));
  return differ(u_expected, u_next, n * n) | differ(v_expected, v_next, n * n);
}
