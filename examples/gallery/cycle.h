/* Plain loops of cycles for the five-point Laplacian on square grids of `size` points a side, u held at the border; f is times the
   square of the spacing. */
#ifndef CYCLE_H
#define CYCLE_H

static void half_sweep(double *u, const double *f, long size, int colour) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j < size - 1; ++j)
    for (long i = 1 + (j - 1 + colour) % 2; i < size - 1; i += 2) {
      double *w = u + j * size + i;
      *w = (w[-size] + w[-1] + w[1] + w[size] - f[j * size + i]) / 4;
    }
}

static void left_over(const double *u, const double *f, double *restrict r, long size) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j < size - 1; ++j)
    for (long i = 1; i < size - 1; ++i) {
      const double *w = u + j * size + i;
      r[j * size + i] = f[j * size + i] - (w[-size] + w[-1] + w[1] + w[size] - 4 * w[0]);
    }
}

/* Full weighting, times 4, as the coarse spacing is twice the fine one. */
static void coarser(const double *r, long size, double *restrict out, long half) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j < half - 1; ++j)
    for (long i = 1; i < half - 1; ++i) {
      const double *w = r + 2 * j * size + 2 * i;
      out[j * half + i] = (4 * w[0] + 2 * (w[-size] + w[-1] + w[1] + w[size]) + w[-size - 1] + w[-size + 1] + w[size - 1] +
                           w[size + 1]) / 4;
    }
}

/* Bilinear interpolation of e, added to u within the border. */
static void correct(double *restrict u, long size, const double *e, long half) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j < size - 1; ++j)
    for (long i = 1; i < size - 1; ++i) {
      const double *w = e + j / 2 * half + i / 2;
      const long down = j % 2 == 0 ? 0 : half, along = i % 2;
      u[j * size + i] += (w[0] + w[along] + w[down] + w[down + along]) / 4;
    }
}

/* What is left over, squared and summed. */
static double rest(const double *u, const double *f, long size) {
  double sum = 0;
  for (long j = 1; j < size - 1; ++j)
    for (long i = 1; i < size - 1; ++i) {
      const double *w = u + j * size + i;
      const double r = f[j * size + i] - (w[-size] + w[-1] + w[1] + w[size] - 4 * w[0]);
      sum += r * r;
    }
  return sum;
}

/* 1 where a cycle leaves over more than `part` of what is there. */
static int diverges(double before, double after, double part) {
  if (sqrt(after / before) <= part) return 0;
  printf("WRONG: a cycle leaves over %.3f of what was there\n", sqrt(after / before));
  return 1;
}

#endif
