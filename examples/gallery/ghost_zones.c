#include "gallery.h"

enum { m = n + 4 };

static long at(long k, long j, long i) { return (k * m + j) * m + i; }

static void plain(double *u) {
#pragma omp parallel
  {
#pragma omp for schedule(static) collapse(2)
    for (long k = 0; k < 2; ++k)
      for (long j = 2; j < n + 2; ++j)
        for (long i = 2; i < n + 2; ++i) {
          u[at(k, j, i)] = u[at(k + n, j, i)];
          u[at(k + n + 2, j, i)] = u[at(k + 2, j, i)];
        }
#pragma omp for schedule(static)
    for (long k = 0; k < m; ++k)
      for (long j = 0; j < 2; ++j)
        for (long i = 2; i < n + 2; ++i) {
          u[at(k, j, i)] = u[at(k, j + n, i)];
          u[at(k, j + n + 2, i)] = u[at(k, j + 2, i)];
        }
#pragma omp for schedule(static) collapse(2)
    for (long k = 0; k < m; ++k)
      for (long j = 0; j < m; ++j)
        for (long i = 0; i < 2; ++i) {
          u[at(k, j, i)] = u[at(k, j, i + n)];
          u[at(k, j, i + n + 2)] = u[at(k, j, i + 2)];
        }
  }
}

/* Every cell is the one within the cube at its position modulo n: of neither the loops above nor the kernel. */
static int wrong(const double *u, const double *before) {
  for (long k = 0; k < m; ++k)
    for (long j = 0; j < m; ++j)
      for (long i = 0; i < m; ++i)
        if (u[at(k, j, i)] != before[at(2 + (k + n - 2) % n, 2 + (j + n - 2) % n, 2 + (i + n - 2) % n)]) {
          printf("WRONG: the cell at %ld %ld %ld\n", k, j, i);
          return 1;
        }
  return 0;
}

int main(void) {
  double *u = data(m * m * m, 1), *expected = data(m * m * m, 1);
  const double *before = data(m * m * m, 1);
  MEASURE(plain(expected), KERNEL(u));
  return differ(expected, u, m * m * m) | wrong(u, before) | wrong(expected, before);
}
