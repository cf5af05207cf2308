/* The problem that all solvers get: -div(beta grad u) = f on the unit cube, beta on faces, cell centred, f64.
 *
 * Cells k, j, i of n[0] x n[1] x n[2], row-major. A cell's row of A is the sum over its six faces of
 * beta / h^2 times the difference to the neighbour; at the boundary, u = 0 on the face makes it
 * 2 beta / h^2 times u, and a face without flux adds nothing. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  long n[3];
  int zero_flux[3][2]; /* by dimension and side; else u = 0 there */
} Problem;

/* Arguments NK NJ NI FACES; FACES: dirichlet, or mixed (no flux through the high face of k and the low one of i). */
static inline Problem problem_of(char **a) {
  Problem p = {{atol(a[0]), atol(a[1]), atol(a[2])}, {{0}}};
  if (!strcmp(a[3], "mixed"))
    p.zero_flux[0][1] = p.zero_flux[2][0] = 1;
  else if (strcmp(a[3], "dirichlet"))
    fprintf(stderr, "faces %s: use dirichlet or mixed\n", a[3]), exit(2);
  return p;
}

static inline double beta_at(double z, double y, double x) {
  const double pi2 = 6.283185307179586;
  return 1 + 0.3 * sin(pi2 * x + .3) * sin(pi2 * y + .7) * sin(pi2 * z + 1.1);
}

/* beta at the lower face along dimension d of a cell; at[d] = n[d] is the last face. */
static inline double beta_of(const Problem *p, int d, const long at[3]) {
  double x[3];
  for (int e = 0; e < 3; ++e) x[e] = (at[e] + (e == d ? 0 : .5)) / p->n[e];
  return beta_at(x[0], x[1], x[2]);
}

/* What the lower face couples its two cells by: beta / h^2. */
static inline double coupling(const Problem *p, int d, const long at[3]) {
  return beta_of(p, d, at) * p->n[d] * p->n[d];
}

/* A row of A: its couplings to the lower and upper neighbour along each dimension (0: there is none), and the
 * diagonal. */
static inline double row_of(const Problem *p, const long at[3], double to[3][2]) {
  double diagonal = 0;
  for (int d = 0; d < 3; ++d)
    for (int up = 0; up < 2; ++up) {
      long face[3] = {at[0], at[1], at[2]};
      face[d] += up;
      const double c = coupling(p, d, face);
      const int outside = face[d] == 0 || face[d] == p->n[d];
      to[d][up] = outside ? 0 : c;
      diagonal += outside ? (p->zero_flux[d][up] ? 0 : 2 * c) : c;
    }
  return diagonal;
}

/* In [-1, 1), the same for any order of cells (splitmix64). */
static inline double f_of(const Problem *p, long k, long j, long i) {
  uint64_t x = (uint64_t)((k * p->n[1] + j) * p->n[2] + i) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (double)(x >> 11) / 4503599627370496.0 - 1;
}

static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static inline void report(double setup, double solve, int steps) {
  printf("{\"setup\": %.4f, \"solve\": %.4f, \"steps\": %d}\n", setup, solve, steps);
}
