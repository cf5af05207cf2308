/* Runs the plain loops and the kernels of one program on the same data, compares results, and times all in turns. `run` makes
 * calls.h, which says what the arrays are and calls each contender.
 *
 *   driver ROUNDS SECONDS [NAME...]      but for those named, prints a line for each contender: name, the largest relative difference,
 *                                        the ms of each round; then how often a second another process took a processor
 *
 * Status 1: a result is wrong, and nothing is timed. 3: a first call took longer than so many seconds. */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum kind { F32, F64, I32, U8 };
enum { IN = 1, OUT = 2 }; /* of in-place ones both */
struct array {
  const char *name;
  enum kind kind;
  int role;
  long count;
  double low, high; /* of the random numbers that it begins with */
  void *data, *first, *expected;
};
struct contender {
  const char *name;
  int (*call)(void);
  double error;
  double *ms;
  int skipped, calls; /* in a turn */
};
static void *memory(size_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, bytes + 64) != 0) {
    fprintf(stderr, "not enough memory\n");
    exit(2);
  }
  memset(p, 0, bytes + 64);
  return p;
}

#include "calls.h" /* arrays, contenders, how many of each, tolerance, allocate() for the kernels' work arrays */

static size_t bytes_of(const struct array *a) { return (size_t)a->count * (a->kind == F64 ? 8 : a->kind == U8 ? 1 : 4); }

static double element(const struct array *a, const void *data, long i) {
  switch (a->kind) {
    case F64:
      return ((const double *)data)[i];
    case F32:
      return ((const float *)data)[i];
    case I32:
      return ((const int *)data)[i];
    default:
      return ((const unsigned char *)data)[i];
  }
}

static void fill(struct array *a, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (long i = 0; i < a->count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double x = a->low + (a->high - a->low) * ((double)(state >> 11) * 0x1p-53);
    if (a->kind == F64) ((double *)a->data)[i] = x;
    if (a->kind == F32) ((float *)a->data)[i] = (float)x;
    if (a->kind == I32) ((int *)a->data)[i] = (int)floor(x);
    if (a->kind == U8) ((unsigned char *)a->data)[i] = (unsigned char)floor(x);
  }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Milliseconds of a call, arguments that are overwritten being put back before. */
static double run(const struct contender *c) {
  for (int k = 0; k < array_count; ++k)
    if (arrays[k].role == (IN | OUT)) memcpy(arrays[k].data, arrays[k].first, bytes_of(&arrays[k]));
  const double begin = seconds();
  const int status = c->call();
  const double end = seconds();
  if (status != 0) {
    fprintf(stderr, "%s: the kernel returned %d\n", c->name, status);
    exit(2);
  }
  return 1e3 * (end - begin);
}

/* Results are no number (bytes: 255) until a contender has written them. */
static void forget(void) {
  for (int k = 0; k < array_count; ++k)
    if (arrays[k].role == OUT) memset(arrays[k].data, 0xff, bytes_of(&arrays[k]));
}

/* The largest difference of a result, by its largest element; infinite where either is no number. */
static double difference(void) {
  double worst = 0;
  for (int k = 0; k < array_count; ++k) {
    if (!(arrays[k].role & OUT)) continue;
    double scale = 0, largest = 0;
    for (long i = 0; i < arrays[k].count; ++i) {
      const double e = element(&arrays[k], arrays[k].expected, i), d = fabs(element(&arrays[k], arrays[k].data, i) - e);
      if (!(d <= largest)) largest = isnan(d) ? INFINITY : d;
      if (fabs(e) > scale) scale = fabs(e);
    }
    if (scale == 0) largest = INFINITY; /* a result of zeros compares nothing */
    if (largest > worst * scale) worst = largest / scale;
  }
  return worst;
}

static const char *running;
static void too_slow(int signal) {
  (void)signal;
  const char *words[] = {"slow ", running, "\n"};
  for (int k = 0; k < 3; ++k)
    if (write(1, words[k], strlen(words[k])) < 0) break;
  _exit(3);
}

static int by_value(const void *a, const void *b) {
  const double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 0, limit = argc > 2 ? atoi(argv[2]) : 60;
  for (int k = 3; k < argc; ++k)
    for (int c = 0; c < contender_count; ++c)
      if (strcmp(argv[k], contenders[c].name) == 0) contenders[c].skipped = 1;
  for (int k = 0; k < array_count; ++k) {
    struct array *a = &arrays[k];
    a->data = memory(bytes_of(a)), a->first = memory(bytes_of(a)), a->expected = memory(bytes_of(a));
    if (a->role & IN) fill(a, (uint64_t)k + 1), memcpy(a->first, a->data, bytes_of(a));
  }
  allocate();
  int wrong = 0;
  signal(SIGALRM, too_slow);
  for (int c = 0; c < contender_count; ++c) {
    struct contender *k = &contenders[c];
    if (k->skipped) continue;
    forget();
    running = k->name;
    alarm((unsigned)limit);
    const double first = run(k);
    alarm(0);
    for (int a = 0; c == 0 && a < array_count; ++a)
      if (arrays[a].role & OUT) memcpy(arrays[a].expected, arrays[a].data, bytes_of(&arrays[a]));
    k->error = difference();
    if (!(k->error <= tolerance)) {
      printf("wrong %s %.3e\n", k->name, k->error);
      wrong = 1;
    }
    k->calls = first > 300 ? 1 : 3;
    k->ms = memory((size_t)(rounds + 1) * sizeof(double));
  }
  if (wrong) return 1;
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  const double begin = seconds();
  for (int r = 0; r < rounds; ++r)
    for (int c = 0; c < contender_count; ++c) {
      struct contender *k = &contenders[c];
      if (k->skipped) continue;
      double turn[3];
      if (k->calls > 1) run(k); /* the caches as one's own call before leaves them */
      for (int i = 0; i < k->calls; ++i) turn[i] = run(k);
      qsort(turn, (size_t)k->calls, sizeof(double), by_value);
      k->ms[r] = turn[k->calls / 2];
      if (r + 1 == rounds && !((k->error = difference()) <= tolerance)) {
        printf("wrong %s %.3e\n", k->name, k->error);
        wrong = 1;
      }
    }
  getrusage(RUSAGE_SELF, &after);
  printf("switches %.1f\n", (double)(after.ru_nivcsw - before.ru_nivcsw) / (seconds() - begin));
  for (int c = 0; c < contender_count && !wrong; ++c) {
    if (contenders[c].skipped) continue;
    printf("time %s %.3e", contenders[c].name, contenders[c].error);
    for (int r = 0; r < rounds; ++r) printf(" %.6f", contenders[c].ms[r]);
    printf("\n");
  }
  return wrong;
}
