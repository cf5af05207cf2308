#define ELEMENT float
#include "gallery.h"

enum { sides = 4 };
static const long side[sides] = {8 * n - 7, 4 * n - 3, 2 * n - 1, n};
static float *rows;

static long near(long i, long size) { return i < 0 ? 0 : i < size ? i : size - 1; }
static float five(float a, float b, float c, float d, float e) { return (a + 4 * b + 6 * c + 4 * d + e) / 16; }

static void next(const float *x, long size, float *restrict out) {
  const long half = (size + 1) / 2;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long j = 0; j < size; ++j) {
      const float *row = x + j * size;
      for (long i = 0; i < half; i += half - 1)
        rows[j * half + i] = five(row[near(2 * i - 2, size)], row[near(2 * i - 1, size)], row[2 * i], row[near(2 * i + 1, size)],
                                  row[near(2 * i + 2, size)]);
      for (long i = 1; i < half - 1; ++i)
        rows[j * half + i] = five(row[2 * i - 2], row[2 * i - 1], row[2 * i], row[2 * i + 1], row[2 * i + 2]);
    }
#pragma omp for schedule(static)
    for (long j = 0; j < half; ++j) {
      const float *a = rows + near(2 * j - 2, size) * half, *b = rows + near(2 * j - 1, size) * half, *c = rows + 2 * j * half;
      const float *d = rows + near(2 * j + 1, size) * half, *e = rows + near(2 * j + 2, size) * half;
      for (long i = 0; i < half; ++i) out[j * half + i] = five(a[i], b[i], c[i], d[i], e[i]);
    }
  }
}

static void plain(const float *image, float *one, float *two, float *three) {
  next(image, side[0], one);
  next(one, side[1], two);
  next(two, side[2], three);
}

int main(void) {
  const float *image = data(side[0] * side[0], 1);
  float *expected[sides], *got[sides];
  for (int l = 1; l < sides; ++l) expected[l] = zeros(side[l] * side[l]), got[l] = zeros(side[l] * side[l]);
  rows = zeros(side[0] * side[1]);
  MEASURE(plain(image, expected[1], expected[2], expected[3]), KERNEL(image, got[1], got[2], got[3]));
  int wrong = 0;
  for (int l = 1; l < sides; ++l) wrong |= differ(expected[l], got[l], side[l] * side[l]);
  return wrong;
}
