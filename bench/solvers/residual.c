/* The relative residual |f - A u| / |f| (root mean squares) of a solution that a solver has written:
 *   residual NK NJ NI FACES U.f64
 * Knows the problem alone: loops over cells, one row of A at a time. */
#include "problem.h"

int main(int argc, char **argv) {
  if (argc != 6) return fprintf(stderr, "residual NK NJ NI FACES U.f64\n"), 2;
  const Problem p = problem_of(argv + 1);
  const long nk = p.n[0], nj = p.n[1], ni = p.n[2];
  const size_t n = (size_t)nk * nj * ni;
  double *u = malloc(n * sizeof *u);
  FILE *file = fopen(argv[5], "rb");
  if (!u || !file || fread(u, sizeof *u, n, file) != n) return fprintf(stderr, "%s: not %zu numbers\n", argv[5], n), 1;
  double rr = 0, ff = 0;
#pragma omp parallel for reduction(+ : rr, ff)
  for (long k = 0; k < nk; ++k)
    for (long j = 0; j < nj; ++j)
      for (long i = 0; i < ni; ++i) {
        const long at[3] = {k, j, i}, step[3] = {nj * ni, ni, 1}, x = (k * nj + j) * ni + i;
        double to[3][2], f = f_of(&p, k, j, i), r = f - row_of(&p, at, to) * u[x];
        for (int d = 0; d < 3; ++d) {
          if (to[d][0]) r += to[d][0] * u[x - step[d]];
          if (to[d][1]) r += to[d][1] * u[x + step[d]];
        }
        rr += r * r, ff += f * f;
      }
  printf("%.17g\n", sqrt(rr / ff));
  return 0;
}
