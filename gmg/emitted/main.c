/* Solves MAIN_EQUATION with a known solution, the product over the axes of sin(w x + 1/2): prints the residual of each cycle and
 * the largest error. Status 0: converged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "SOLVER.h"

#define PI 3.14159265358979323846
#define CYCLES 30
static const long shape[] = SOLVER_SHAPE;
static const double spacing[] = SPACING_NUMBERS, frequency[] = FREQUENCY_NUMBERS, a = NUMBER_A;
static const int is_variable = IS_VARIABLE;
/* Of each face, low and high of each axis: value u + slope du/dn. */
static const struct {
  const char *name;
  double value, slope;
} conditions[] = CONDITION_NUMBERS;
static const char *const beta_names[] = BETA_NAMES;

static double wave(int d, double x) { return sin(frequency[d] * x + 0.5); }
static double slope(int d, double x) { return frequency[d] * cos(frequency[d] * x + 0.5); }
static double side(int d) { return (double)shape[d] * spacing[d]; }
static double beta(double i) {
  return is_variable ? 1 + 0.3 * sin(2 * PI * i / side(SOLVER_RANK - 1) + 0.3) : 1;
}
static double beta_slope(double i) {
  const double w = 2 * PI / side(SOLVER_RANK - 1);
  return is_variable ? 0.3 * w * cos(w * i + 0.3) : 0;
}
/* The indices of element n of an array with `more` elements more along `axis`. */
static void indices(long n, int axis, int more, long *at) {
  for (int d = SOLVER_RANK; d-- > 0;) {
    const long length = shape[d] + (d == axis ? more : 0);
    at[d] = n % length, n /= length;
  }
}
static double product(const double *x, int without) {
  double p = 1;
  for (int d = 0; d < SOLVER_RANK; ++d)
    if (d != without) p *= wave(d, x[d]);
  return p;
}

int main(void) {
  SOLVER *const s = SOLVER_new();
  double *const f = malloc(SOLVER_CELLS * sizeof(double)), *const u = calloc(SOLVER_CELLS, sizeof(double));
  double history[CYCLES + 1], x[SOLVER_RANK] = {0}, error = 0, mean = 0;
  long at[SOLVER_RANK];
  int done = 0;
  if (!s || !f || !u) return fprintf(stderr, "not enough memory\n"), 2;
  for (int d = 0; is_variable && d < SOLVER_RANK; ++d) {
    double *const b = SOLVER_array(s, beta_names[d]);
    for (long n = 0; n < SOLVER_CELLS / shape[d] * (shape[d] + 1); ++n) {
      indices(n, d, 1, at);
      b[n] = beta(((double)at[SOLVER_RANK - 1] + (d == SOLVER_RANK - 1 ? 0 : 0.5)) * spacing[SOLVER_RANK - 1]);
    }
  }
  for (int face = 0; face < 2 * SOLVER_RANK; ++face) {
    double *const g = SOLVER_face(s, conditions[face].name);
    const int d = face / 2, high = face % 2;
    for (long n = 0; g && n < SOLVER_CELLS / shape[d]; ++n) {
      long rest = n;
      for (int e = SOLVER_RANK; e-- > 0;)
        if (e != d) x[e] = ((double)(rest % shape[e]) + 0.5) * spacing[e], rest /= shape[e];
      const double there = high ? side(d) : 0;
      g[n] = (conditions[face].value * wave(d, there) + conditions[face].slope * (high ? 1 : -1) * slope(d, there)) *
             product(x, d);
    }
  }
  for (long n = 0; n < SOLVER_CELLS; ++n) {
    double laplacian = 0;
    indices(n, -1, 0, at);
    for (int d = 0; d < SOLVER_RANK; ++d) x[d] = ((double)at[d] + 0.5) * spacing[d];
    for (int d = 0; d < SOLVER_RANK; ++d) laplacian -= frequency[d] * frequency[d] * product(x, -1);
    const double i = x[SOLVER_RANK - 1];
    f[n] = a * product(x, -1) - beta(i) * laplacian -
           beta_slope(i) * slope(SOLVER_RANK - 1, i) * product(x, SOLVER_RANK - 1);
    mean += product(x, -1) / SOLVER_CELLS;
  }
  const int status = SOLVER_solve(s, f, u, TOLERANCE, CYCLES, history, &done);
  for (int c = 0; c <= done; ++c) printf("%7d  %14.6e\n", c, history[c]);
  for (long n = 0; n < SOLVER_CELLS; ++n) {
    indices(n, -1, 0, at);
    for (int d = 0; d < SOLVER_RANK; ++d) x[d] = ((double)at[d] + 0.5) * spacing[d];
    error = fmax(error, fabs(u[n] + (IS_SINGULAR ? mean : 0) - product(x, -1)));
  }
  printf("status %d, largest error of u %.2e\n", status, error);
  SOLVER_free(s), free(f), free(u);
  return status;
}
