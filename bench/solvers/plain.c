/* The same multigrid method as ours, as one writes it by hand: OpenMP loops, one for each half-sweep.
 *   plain NK NJ NI FACES TOLERANCE U.f64 [SWEEPS [WEIGHT]]
 * V cycles, red-black Gauss-Seidel with a weight, means of the residual (computed where it is restricted, not stored), linear
 * interpolation, coefficients restricted. Arrays have a layer of ghost cells, filled before each loop that reads them. Cells are
 * joined by two along all axes while their numbers are even; the last grid is swept. */
#include "problem.h"

typedef struct {
  long n[3], sj, sk; /* strides of arrays with ghost cells */
  double *u, *f, *lambda, *beta[3]; /* couplings of the lower faces */
} Grid;

static Problem problem;
static double weight;

static double *zeros(const Grid *g) {
  double *a = malloc(sizeof *a * g->sk * (g->n[0] + 2));
#pragma omp parallel for
  for (long k = 0; k < g->n[0] + 2; ++k) memset(a + k * g->sk, 0, sizeof *a * g->sk);
  return a;
}
static inline long at(const Grid *g, long k, long j, long i) { return (k + 1) * g->sk + (j + 1) * g->sj + i + 1; }

static void allocate(Grid *g) {
  g->sj = g->n[2] + 2, g->sk = g->sj * (g->n[1] + 2);
  g->u = zeros(g), g->f = zeros(g), g->lambda = zeros(g);
  for (int d = 0; d < 3; ++d) g->beta[d] = zeros(g);
}

static void fill_ghosts(const Grid *g) {
  const long s[3] = {g->sk, g->sj, 1};
  double *u = g->u;
  for (int d = 0; d < 3; ++d) {
    const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    const double low = problem.zero_flux[d][0] ? 1 : -1, high = problem.zero_flux[d][1] ? 1 : -1;
    const long last = (g->n[d] + 1) * s[d];
#pragma omp parallel for if (g->n[a] * g->n[b] > 4096)
    for (long x = 0; x < g->n[a] + 2; ++x)
      for (long y = 0; y < g->n[b] + 2; ++y) {
        double *const line = u + x * s[a] + y * s[b];
        line[0] = low * line[s[d]], line[last] = high * line[last - s[d]];
      }
  }
}

static inline double a_of_u(const Grid *g, const double *u, long x) {
  const double *bk = g->beta[0], *bj = g->beta[1], *bi = g->beta[2];
  const long sk = g->sk, sj = g->sj;
  return bk[x + sk] * (u[x] - u[x + sk]) + bk[x] * (u[x] - u[x - sk]) + bj[x + sj] * (u[x] - u[x + sj]) +
         bj[x] * (u[x] - u[x - sj]) + bi[x + 1] * (u[x] - u[x + 1]) + bi[x] * (u[x] - u[x - 1]);
}

static void sweep(const Grid *g) {
  double *restrict u = g->u;
  for (int colour = 0; colour < 2; ++colour) {
    fill_ghosts(g);
#pragma omp parallel for collapse(2) if (g->n[0] * g->n[1] * g->n[2] > 16384)
    for (long k = 0; k < g->n[0]; ++k)
      for (long j = 0; j < g->n[1]; ++j) {
        const long row = at(g, k, j, 0);
#pragma omp simd
        for (long i = (k + j + colour) & 1; i < g->n[2]; i += 2)
          u[row + i] += g->lambda[row + i] * (g->f[row + i] - a_of_u(g, u, row + i));
      }
  }
}

static double norm(const Grid *g) {
  fill_ghosts(g);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long k = 0; k < g->n[0]; ++k)
    for (long j = 0; j < g->n[1]; ++j) {
      const long row = at(g, k, j, 0);
#pragma omp simd reduction(+ : sum)
      for (long i = 0; i < g->n[2]; ++i) {
        const double r = g->f[row + i] - a_of_u(g, g->u, row + i);
        sum += r * r;
      }
    }
  return sqrt(sum);
}

static void restrict_residual(const Grid *g, const Grid *c) {
  fill_ghosts(g);
#pragma omp parallel for collapse(2) if (c->n[0] * c->n[1] * c->n[2] > 4096)
  for (long k = 0; k < c->n[0]; ++k)
    for (long j = 0; j < c->n[1]; ++j) {
#pragma omp simd
      for (long i = 0; i < c->n[2]; ++i) {
        double sum = 0;
        for (int child = 0; child < 8; ++child) {
          const long x = at(g, 2 * k + (child >> 2), 2 * j + (child >> 1 & 1), 2 * i + (child & 1));
          sum += g->f[x] - a_of_u(g, g->u, x);
        }
        c->f[at(c, k, j, i)] = sum / 8, c->u[at(c, k, j, i)] = 0;
      }
    }
}

static void correct(const Grid *g, const Grid *c) {
  fill_ghosts(c);
  const double *restrict e = c->u;
  const long sk = c->sk, sj = c->sj;
#pragma omp parallel for collapse(2) if (c->n[0] * c->n[1] * c->n[2] > 4096)
  for (long k = 0; k < g->n[0]; ++k)
    for (long j = 0; j < g->n[1]; ++j) {
      const long dk = k & 1 ? sk : -sk, dj = j & 1 ? sj : -sj;
#pragma omp simd
      for (long i = 0; i < c->n[2]; ++i) {
        const long x = at(c, k / 2, j / 2, i);
        const double low = .5625 * e[x - 1] + .1875 * (e[x + dj - 1] + e[x + dk - 1]) + .0625 * e[x + dj + dk - 1];
        const double mid = .5625 * e[x] + .1875 * (e[x + dj] + e[x + dk]) + .0625 * e[x + dj + dk];
        const double high = .5625 * e[x + 1] + .1875 * (e[x + dj + 1] + e[x + dk + 1]) + .0625 * e[x + dj + dk + 1];
        g->u[at(g, k, j, 2 * i)] += .75 * mid + .25 * low;
        g->u[at(g, k, j, 2 * i + 1)] += .75 * mid + .25 * high;
      }
    }
}

/* Couplings of coarse faces: means of the four fine faces, a quarter of them for twice the spacing. */
static void coarsen(const Grid *g, Grid *c) {
  const long s[3] = {g->sk, g->sj, 1};
  for (int d = 0; d < 3; ++d) {
    const long a = s[d == 0 ? 1 : 0], b = s[d == 2 ? 1 : 2];
    for (long k = 0; k < c->n[0] + (d == 0); ++k)
      for (long j = 0; j < c->n[1] + (d == 1); ++j)
        for (long i = 0; i < c->n[2] + (d == 2); ++i) {
          const double *const x = g->beta[d] + at(g, 2 * k, 2 * j, 2 * i);
          c->beta[d][at(c, k, j, i)] = (x[0] + x[a] + x[b] + x[a + b]) / 16;
        }
  }
}

static void find_lambda(Grid *g) {
  const long s[3] = {g->sk, g->sj, 1};
  for (long k = 0; k < g->n[0]; ++k)
    for (long j = 0; j < g->n[1]; ++j)
      for (long i = 0; i < g->n[2]; ++i) {
        const long x = at(g, k, j, i), p[3] = {k, j, i};
        double sum = 0;
        for (int d = 0; d < 3; ++d) {
          const double low = g->beta[d][x], high = g->beta[d][x + s[d]];
          sum += p[d] > 0 ? low : problem.zero_flux[d][0] ? 0 : 2 * low;
          sum += p[d] + 1 < g->n[d] ? high : problem.zero_flux[d][1] ? 0 : 2 * high;
        }
        g->lambda[x] = weight / sum;
      }
}

int main(int argc, char **argv) {
  if (argc < 7) return fprintf(stderr, "plain NK NJ NI FACES TOLERANCE U.f64 [SWEEPS [WEIGHT]]\n"), 2;
  problem = problem_of(argv + 1);
  const double tolerance = atof(argv[5]);
  const int sweeps = argc > 7 ? atoi(argv[7]) : 2;
  weight = argc > 8 ? atof(argv[8]) : 2 / (1 + sqrt(5.0) / 3);
  Grid g[32];
  int levels = 1;
  for (int d = 0; d < 3; ++d) g[0].n[d] = problem.n[d];
  allocate(&g[0]);
#pragma omp parallel for
  for (long k = 0; k <= g[0].n[0]; ++k)
    for (long j = 0; j <= g[0].n[1]; ++j)
      for (long i = 0; i <= g[0].n[2]; ++i) {
        const long x[3] = {k, j, i};
        for (int d = 0; d < 3; ++d)
          if (x[d == 0 ? 1 : 0] < g[0].n[d == 0 ? 1 : 0] && x[d == 2 ? 1 : 2] < g[0].n[d == 2 ? 1 : 2])
            g[0].beta[d][at(&g[0], k, j, i)] = coupling(&problem, d, x);
        if (k < g[0].n[0] && j < g[0].n[1] && i < g[0].n[2]) g[0].f[at(&g[0], k, j, i)] = f_of(&problem, k, j, i);
      }
  const double t0 = seconds();
  find_lambda(&g[0]);
  while (g[levels - 1].n[0] % 2 == 0 && g[levels - 1].n[1] % 2 == 0 && g[levels - 1].n[2] % 2 == 0 &&
         g[levels - 1].n[0] * g[levels - 1].n[1] * g[levels - 1].n[2] > 128) {
    for (int d = 0; d < 3; ++d) g[levels].n[d] = g[levels - 1].n[d] / 2;
    allocate(&g[levels]), coarsen(&g[levels - 1], &g[levels]), find_lambda(&g[levels]);
    ++levels;
  }
  const double t1 = seconds(), first = norm(&g[0]);
  int cycles = 0;
  double now = first;
  while (now > tolerance * first && cycles < 50) {
    for (int l = 0; l + 1 < levels; ++l) {
      for (int s = 0; s < sweeps; ++s) sweep(&g[l]);
      restrict_residual(&g[l], &g[l + 1]);
    }
    for (int s = 0; s < 48; ++s) sweep(&g[levels - 1]);
    for (int l = levels - 1; l-- > 0;) {
      correct(&g[l], &g[l + 1]);
      for (int s = 0; s < sweeps; ++s) sweep(&g[l]);
    }
    now = norm(&g[0]), ++cycles;
  }
  const double t2 = seconds();
  FILE *out = fopen(argv[6], "wb");
  for (long k = 0; out && k < g[0].n[0]; ++k)
    for (long j = 0; j < g[0].n[1]; ++j) fwrite(g[0].u + at(&g[0], k, j, 0), sizeof(double), g[0].n[2], out);
  if (!out || fclose(out)) return fprintf(stderr, "cannot write %s\n", argv[6]), 1;
  report(t1 - t0, t2 - t1, cycles);
  return 0;
}
