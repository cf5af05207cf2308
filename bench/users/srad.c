#include "users.h"

STAGE float c[n][m];

static inline float coefficient(float x, float above, float left, float right, float below, float q0) {
  const float north = above - x, south = below - x, west = left - x, east = right - x;
  const float gradient = (north * north + south * south + west * west + east * east) / (x * x);
  const float l = (north + south + west + east) / x, d = 1 + 0.25f * l;
  const float q = (0.5f * gradient - 0.0625f * l * l) / (d * d);
  const float r = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
  return r < 0 ? 0 : r > 1 ? 1 : r;
}

void plain(const float image[n][m], float lambda, float smooth[restrict n][m]) {
  float sum = 0, squares = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum, squares)
  for (int j = 0; j < n; ++j) {
    float s = 0, q = 0;
#pragma omp simd reduction(+ : s, q)
    for (int i = 0; i < m; ++i) s += image[j][i], q += image[j][i] * image[j][i];
    sum += s, squares += q;
  }
  const float mean = sum / ((float)n * (float)m), variance = squares / ((float)n * (float)m) - mean * mean;
  const float q0 = variance / (mean * mean);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const float *up = image[j > 0 ? j - 1 : 0], *x = image[j], *down = image[j < n - 1 ? j + 1 : n - 1];
      c[j][0] = coefficient(x[0], up[0], x[0], x[1], down[0], q0);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) c[j][i] = coefficient(x[i], up[i], x[i - 1], x[i + 1], down[i], q0);
      c[j][m - 1] = coefficient(x[m - 1], up[m - 1], x[m - 2], x[m - 1], down[m - 1], q0);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const float *up = image[j > 0 ? j - 1 : 0], *x = image[j], *down = image[j < n - 1 ? j + 1 : n - 1];
      const float *here = c[j], *below = c[j < n - 1 ? j + 1 : n - 1];
#define CELL(i, l, r)                                                                                        \
  smooth[j][i] = x[i] + 0.25f * lambda * (here[i] * (up[i] - x[i]) + below[i] * (down[i] - x[i]) +           \
                                          here[i] * (x[l] - x[i]) + here[r] * (x[r] - x[i]))
      CELL(0, 0, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
      CELL(m - 1, m - 2, m - 1);
    }
  }
}
