#include "users.h"

enum { m = 2 * n - 1, l = 4 * n - 3 };

STAGE float one[m][m], rows_one[l][m], rows_two[m][n], between_one[m][l], between_two[n][m];

static inline int within(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }
static inline float five(float a, float b, float c, float d, float e) { return (a + 4 * b + 6 * c + 4 * d + e) / 16; }

static void reduced(int size, const float x[restrict size][size], float rows[restrict size][(size + 1) / 2],
                    float out[restrict (size + 1) / 2][(size + 1) / 2]) {
  const int half = (size + 1) / 2;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < half; i += half - 1)
        rows[j][i] = five(x[j][within(2 * i - 2, size)], x[j][within(2 * i - 1, size)], x[j][2 * i], x[j][within(2 * i + 1, size)],
                          x[j][within(2 * i + 2, size)]);
#pragma omp simd
      for (int i = 1; i < half - 1; ++i) rows[j][i] = five(x[j][2 * i - 2], x[j][2 * i - 1], x[j][2 * i], x[j][2 * i + 1], x[j][2 * i + 2]);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < half; ++j) {
      const float *a = rows[within(2 * j - 2, size)], *b = rows[within(2 * j - 1, size)], *c = rows[2 * j];
      const float *d = rows[within(2 * j + 1, size)], *e = rows[within(2 * j + 2, size)];
#pragma omp simd
      for (int i = 0; i < half; ++i) out[j][i] = five(a[i], b[i], c[i], d[i], e[i]);
    }
  }
}

/* Rows of y are expanded into `between`; columns then, and subtracted from x at once. */
static void less(int size, const float x[restrict size][size], const float y[restrict (size + 1) / 2][(size + 1) / 2],
                 float between[restrict (size + 1) / 2][size], float out[restrict size][size]) {
  const int half = (size + 1) / 2;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < half; ++j) {
      const float *row = y[j];
      between[j][0] = (7 * row[0] + row[1]) / 8, between[j][size - 1] = (row[half - 2] + 7 * row[half - 1]) / 8;
      between[j][1] = (row[0] + row[1]) / 2;
#pragma omp simd
      for (int i = 1; i < half - 1; ++i) {
        between[j][2 * i] = (row[i - 1] + 6 * row[i] + row[i + 1]) / 8;
        between[j][2 * i + 1] = (row[i] + row[i + 1]) / 2;
      }
    }
#pragma omp for schedule(static)
    for (int j = 0; j < size; ++j) {
      const int k = j / 2;
      const float *here = between[k], *above = between[within(k - 1, half)], *below = between[within(k + 1, half)];
      if (j % 2 == 0)
#pragma omp simd
        for (int i = 0; i < size; ++i) out[j][i] = x[j][i] - (above[i] + 6 * here[i] + below[i]) / 8;
      else
#pragma omp simd
        for (int i = 0; i < size; ++i) out[j][i] = x[j][i] - (here[i] + below[i]) / 2;
    }
  }
}

void plain(const float image[l][l], float fine[l][l], float middle[m][m], float coarse[n][n]) {
  reduced(l, image, rows_one, one);
  reduced(m, (const float(*)[m])one, rows_two, coarse);
  less(l, image, (const float(*)[m])one, between_one, fine);
  less(m, (const float(*)[m])one, (const float(*)[n])coarse, between_two, middle);
}
