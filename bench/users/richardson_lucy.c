#include "users.h"

STAGE float other[n][m], middle[n][m];

static inline int within(int i, int size) { return i < 0 ? -1 - i : i < size ? i : 2 * size - 1 - i; }

#define NINE(x) (0.25f * x(4) + 0.2f * (x(3) + x(5)) + 0.1f * (x(2) + x(6)) + 0.05f * (x(1) + x(7)) + 0.025f * (x(0) + x(8)))

/* Both passes for row j. */
static inline void blurred(const float x[n][m], int j, float out[m]) {
  const float *r[9];
  for (int k = 0; k < 9; ++k) r[k] = x[within(j + k - 4, n)];
  float wide[m + 8];
#define DOWN(k) r[k][i]
#pragma omp simd
  for (int i = 0; i < m; ++i) wide[i + 4] = NINE(DOWN);
  for (int i = 0; i < 4; ++i) wide[3 - i] = wide[4 + i], wide[m + 4 + i] = wide[m + 3 - i];
#define ALONG(k) wide[i + k]
#pragma omp simd
  for (int i = 0; i < m; ++i) out[i] = NINE(ALONG);
}

static void better(const float image[n][m], const float x[n][m], float next[restrict n][m]) {
#pragma omp parallel
  {
    float b[m];
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      blurred(x, j, b);
#pragma omp simd
      for (int i = 0; i < m; ++i) middle[j][i] = image[j][i] / (b[i] + 0.001f);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      blurred((const float(*)[m])middle, j, b);
#pragma omp simd
      for (int i = 0; i < m; ++i) next[j][i] = x[j][i] * b[i];
    }
  }
}

void plain(const float image[n][m], float sharp[n][m]) {
  better(image, image, other);
  better(image, (const float(*)[m])other, sharp);
}
