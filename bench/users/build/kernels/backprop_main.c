/* Written by liftgen, which may write it again. */
/* Runs backprop on made-up data, compares it with the same expression as plain loops, and times it:
 *
 *   cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno backprop.c backprop_main.c -lm -o backprop
 *   ./backprop
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

#include "backprop.h"

/* ---- the expression as plain loops, one element at a time */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SCALAR_MATH)  /* define it for the same bits in and outside vectors */
#if __GLIBC_PREREQ(2, 35)
__attribute__((__simd__("notinbranch"))) float expf(float);
#endif
#endif

static void backprop_reference(const float *x, const float *w, const float *before, const float *v,
    float target, float *w_next, float *change, float *error) {
  float tile1[16] __attribute__((aligned(64)));
  for (long i = 0; i < 16; ++i) {
    float acc2 = 0.0f;
    for (long r = 0; r < 262144; ++r) {
      acc2 = acc2 + x[r] * w[16*r + i];
    }
    tile1[i] = 1.0f / (1.0f + expf(-(0.001f * acc2)));
  }
  const float v3 = 1.0f / (1.0f + expf(-(0.0f + tile1[0] * v[0] + tile1[1] * v[1] + tile1[2] * v[2]
      + tile1[3] * v[3] + tile1[4] * v[4] + tile1[5] * v[5] + tile1[6] * v[6] + tile1[7] * v[7]
      + tile1[8] * v[8] + tile1[9] * v[9] + tile1[10] * v[10] + tile1[11] * v[11] + tile1[12] * v[12]
      + tile1[13] * v[13] + tile1[14] * v[14] + tile1[15] * v[15])));
  const float v4 = v3 * (1.0f - v3) * (target - v3);
  float tile5[16] __attribute__((aligned(64)));
  for (long i = 0; i < 16; ++i) {
    const float tile1_1 = tile1[i];
    tile5[i] = tile1_1 * (1.0f - tile1_1) * v4 * v[i];
  }
  for (long j = 0; j < 262144; ++j) {
    const long row = 16*j;
    for (long i = 0; i < 16; ++i) {
      change[row + i] = 0.3f * tile5[i] * x[j] + 0.3f * before[row + i];
    }
  }
  for (long j = 0; j < 262144; ++j) {
    const long row = 16*j;
    for (long i = 0; i < 16; ++i) {
      w_next[row + i] = w[row + i] + change[row + i];
    }
  }
  error[0] = fabsf(v4);
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

static float *new_float(long n) { return (float *)allocate((size_t)n * sizeof(float)); }

static void fill_float(float *a, long n, int seed) {
  for (long x = 0; x < n; ++x) a[x] = (float)(1 + 0.25 * sin(0.37 * (double)x + seed));
}

/* The largest difference, as a part of the largest value. */
static double difference_float(const float *got, const float *expected, long n) {
  double largest = 0, scale = 1e-30;
  for (long x = 0; x < n; ++x) {
    const double d = fabs((double)got[x] - (double)expected[x]), e = fabs((double)expected[x]);
    if (!(d <= largest)) largest = d == d ? d : 1e300;
    if (e > scale) scale = e;
  }
  return largest / scale;
}

int main(void) {
  const long n_x = 262144;
  float *x = new_float(n_x);
  fill_float(x, n_x, 1);
  const long n_w = 4194304;
  float *w = new_float(n_w);
  fill_float(w, n_w, 2);
  const long n_before = n_w;
  float *before = new_float(n_before);
  fill_float(before, n_before, 3);
  const long n_v = 16;
  float *v = new_float(n_v);
  fill_float(v, n_v, 4);
  const float target = 0.125f;
  const long n_w_next = n_w;
  float *w_next = new_float(n_w_next);
  fill_float(w_next, n_w_next, 5);
  const long n_change = n_w;
  float *change = new_float(n_change);
  fill_float(change, n_change, 6);
  const long n_error = 1;
  float *error_ = new_float(n_error);
  fill_float(error_, n_error, 7);

  float *w_next_expected = new_float(n_w);
  memcpy(w_next_expected, w_next, (size_t)n_w_next * sizeof *w_next);
  float *change_expected = new_float(n_w);
  memcpy(change_expected, change, (size_t)n_change * sizeof *change);
  float *error_expected = new_float(n_error);
  memcpy(error_expected, error_, (size_t)n_error * sizeof *error_);
  backprop_reference(x, w, before, v, target, w_next_expected, change_expected, error_expected);

  backprop(x, w, before, v, target, w_next, change, error_);
  int wrong = 0;
  {
    const double error = difference_float(w_next, w_next_expected, n_w_next);
    printf("backprop: w_next differs by %.1e of its largest value\n", error);
    if (!(error <= 1e-4)) wrong = 1;
  }
  {
    const double error = difference_float(change, change_expected, n_change);
    printf("backprop: change differs by %.1e of its largest value\n", error);
    if (!(error <= 1e-4)) wrong = 1;
  }
  {
    const double error = difference_float(error_, error_expected, n_error);
    printf("backprop: error differs by %.1e of its largest value\n", error);
    if (!(error <= 1e-4)) wrong = 1;
  }

  double best = 1e30;
  for (int run = 0; run < 10; ++run) {
    const double start = seconds();
    backprop(x, w, before, v, target, w_next, change, error_);
    const double ms = 1e3 * (seconds() - start);
    if (ms < best) best = ms;
  }
  printf("backprop: %.4f ms, %s\n", best, wrong ? "WRONG" : "correct");
  free(x);
  free(w);
  free(before);
  free(v);
  free(w_next);
  free(change);
  free(error_);
  free(w_next_expected);
  free(change_expected);
  free(error_expected);
  return wrong;
}
