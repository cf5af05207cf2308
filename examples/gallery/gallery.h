/* Around a program of the gallery: data, comparison, times. `run` says what n is (SIZE) and which kernel KERNEL calls. */
#ifndef GALLERY_H
#define GALLERY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef ELEMENT
#define ELEMENT double
#endif
enum { n = SIZE };

static inline ELEMENT *zeros(long count) {
  void *p = NULL;
  const size_t bytes = ((size_t)count * sizeof(ELEMENT) + 63) / 64 * 64;
  if (posix_memalign(&p, 64, bytes) != 0) {
    fprintf(stderr, "not enough memory\n");
    exit(2);
  }
  memset(p, 0, bytes);
  return (ELEMENT *)p;
}
static inline ELEMENT *data(long count, int seed) {
  ELEMENT *p = zeros(count);
  for (long i = 0; i < count; ++i) p[i] = (ELEMENT)(0.5 + 0.3 * sin(0.37 * (double)i + seed));
  return p;
}
static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* 1 where two results differ by more than rounding. */
static inline int differ(const ELEMENT *expected, const ELEMENT *got, long count) {
  double largest = 0, scale = 1e-30;
  for (long i = 0; i < count; ++i) {
    const double d = fabs((double)expected[i] - (double)got[i]), e = fabs((double)expected[i]);
    if (!(d <= largest)) largest = d == d ? d : 1e300;
    if (e > scale) scale = e;
  }
  if (largest <= scale * (sizeof(ELEMENT) == 4 ? 1e-5 : 1e-11)) return 0;
  printf("WRONG: differs by %.1e of the largest value\n", largest / scale);
  return 1;
}

#include "call.h" /* made by `run`: the kernel, and KERNEL(...), which calls it */

/* Runs either once, then in turns, and prints the best times and what the plain loops take of the kernel's time. */
#define MEASURE(plain, kernel)                                                                                     \
  do {                                                                                                             \
    double best[2] = {1e30, 1e30};                                                                                 \
    work();                                                                                                        \
    for (int turn = 0; turn <= TURNS; ++turn) {                                                                    \
      const double start = seconds();                                                                              \
      plain;                                                                                                       \
      const double between = seconds();                                                                            \
      kernel;                                                                                                      \
      const double end = seconds();                                                                                \
      if (turn > 0 && between - start < best[0]) best[0] = between - start;                                        \
      if (turn > 0 && end - between < best[1]) best[1] = end - between;                                            \
    }                                                                                                              \
    if (TURNS > 0)                                                                                                 \
      printf("kernel %9.3f ms   plain loops %9.3f ms   %5.2fx\n", 1e3 * best[1], 1e3 * best[0], best[0] / best[1]); \
  } while (0)

#endif
