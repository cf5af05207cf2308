/* Written by liftgen, which may write it again. */
/* Runs distance_transform on made-up data, compares it with the same expression as plain loops, and times it:
 *
 *   cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno distance_transform.c distance_transform_main.c -lm -o distance_transform
 *   ./distance_transform
 *
 * It ends with status 1 when results differ. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "distance_transform.h"

/* ---- the expression as plain loops, one element at a time */

static inline int min_i32(int a, int b) { return b < a ? b : a; }
static inline int max_i32(int a, int b) { return a < b ? b : a; }

static void distance_transform_reference(const int *image, int *distance, int *farthest, int *work1,
    int *work2) {
  for (long j = 0; j < 1500; ++j) {
    const long row = 2000*j;
    for (long i = 0; i < 2000; ++i) {
      work1[row + i] = image[row + i] == 0 ? 0 : 100000;
    }
  }
  for (long j = 0; j < 1500; ++j) {
    const long row = 2000*j;
    int work3[2000] __attribute__((aligned(64)));
    int before4 = 100000;
    for (long k = 0; k < 2000; ++k) {
      const int next5 = min_i32(work1[row + k], before4 + 1);
      work3[k] = next5;
      before4 = next5;
    }
    int before6 = 100000;
    for (long k = 0; k < 2000; ++k) {
      const int next7 = min_i32(work3[-k + 1999], before6 + 1);
      work2[row - k + 1999] = next7;
      before6 = next7;
    }
  }
  for (long i = 0; i < 2000; ++i) {
    int work8[1500] __attribute__((aligned(64)));
    int before9 = 100000;
    for (long k = 0; k < 1500; ++k) {
      const int next10 = min_i32(work2[2000*k + i], before9 + 1);
      work8[k] = next10;
      before9 = next10;
    }
    int before11 = 100000;
    for (long k = 0; k < 1500; ++k) {
      const int next12 = min_i32(work8[-k + 1499], before11 + 1);
      distance[i - 2000*k + 2998000] = next12;
      before11 = next12;
    }
  }
  int acc13 = 0;
  for (long r = 0; r < 1500; ++r) {
    const long row = 2000*r;
    for (long r_2 = 0; r_2 < 2000; ++r_2) {
      acc13 = max_i32(acc13, distance[row + r_2]);
    }
  }
  farthest[0] = acc13;
}

/* ---- data, comparison, time */

static void *allocate(size_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, bytes + 64) != 0) {
    fprintf(stderr, "not enough memory for %lu bytes\n", (unsigned long)bytes);
    exit(1);
  }
  memset(p, 0, bytes + 64);
  return p;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int *new_int(long n) { return (int *)allocate((size_t)n * sizeof(int)); }

static void fill_int(int *a, long n, int seed) {
  for (long x = 0; x < n; ++x) a[x] = (int)((x + seed) % 7);
}

/* The largest difference, as a part of the largest value. */
static double difference_int(const int *got, const int *expected, long n) {
  double largest = 0, scale = 1e-30;
  for (long x = 0; x < n; ++x) {
    const double d = fabs((double)got[x] - (double)expected[x]), e = fabs((double)expected[x]);
    if (!(d <= largest)) largest = d == d ? d : 1e300;
    if (e > scale) scale = e;
  }
  return largest / scale;
}

int main(void) {
  const long n_image = 3000000;
  int *image = new_int(n_image);
  fill_int(image, n_image, 1);
  const long n_distance = n_image;
  int *distance = new_int(n_distance);
  fill_int(distance, n_distance, 2);
  const long n_farthest = 1;
  int *farthest = new_int(n_farthest);
  fill_int(farthest, n_farthest, 3);
  const long n_work1 = n_image;
  int *work1 = new_int(n_work1);
  fill_int(work1, n_work1, 4);
  const long n_work2 = n_image;
  int *work2 = new_int(n_work2);
  fill_int(work2, n_work2, 5);

  int *distance_expected = new_int(n_image);
  memcpy(distance_expected, distance, (size_t)n_distance * sizeof *distance);
  int *farthest_expected = new_int(n_farthest);
  memcpy(farthest_expected, farthest, (size_t)n_farthest * sizeof *farthest);
  int *work1_expected = new_int(n_image);
  int *work2_expected = new_int(n_image);
  distance_transform_reference(image, distance_expected, farthest_expected, work1_expected, work2_expected);

  if (distance_transform(image, distance, farthest, work1, work2) != 0) {
    fprintf(stderr, "not enough memory for distance_transform\n");
    exit(1);
  }
  int wrong = 0;
  {
    const double error = difference_int(distance, distance_expected, n_distance);
    printf("distance_transform: distance differs by %.1e of its largest value\n", error);
    if (!(error <= 1e-11)) wrong = 1;
  }
  {
    const double error = difference_int(farthest, farthest_expected, n_farthest);
    printf("distance_transform: farthest differs by %.1e of its largest value\n", error);
    if (!(error <= 1e-11)) wrong = 1;
  }

  double best = 1e30;
  for (int run = 0; run < 10; ++run) {
    const double start = seconds();
    if (distance_transform(image, distance, farthest, work1, work2) != 0) {
      fprintf(stderr, "not enough memory for distance_transform\n");
      exit(1);
    }
    const double ms = 1e3 * (seconds() - start);
    if (ms < best) best = ms;
  }
  printf("distance_transform: %.4f ms, %s\n", best, wrong ? "WRONG" : "correct");
  free(image);
  free(distance);
  free(farthest);
  free(work1);
  free(work2);
  free(distance_expected);
  free(farthest_expected);
  free(work1_expected);
  free(work2_expected);
  return wrong;
}
