#include "users.h"

STAGE float x_rows[n][m], y_rows[n][m], a[n][m], b[n][m];

static inline int within(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }

/* Sums of nine along a row, which is continued at its ends. */
static inline void along(const float row[m], float sums[m]) {
  float wide[m + 8];
  for (int i = 0; i < 4; ++i) wide[i] = row[0], wide[m + 4 + i] = row[m - 1];
  memcpy(wide + 4, row, sizeof(float[m]));
#pragma omp simd
  for (int i = 0; i < m; ++i) {
    const float *w = wide + i;
    sums[i] = w[0] + w[1] + w[2] + w[3] + w[4] + w[5] + w[6] + w[7] + w[8];
  }
}

/* Of nine rows around row j, the means. */
static inline void across(const float rows[n][m], int j, float means[m]) {
  const float *r[9];
  for (int k = 0; k < 9; ++k) r[k] = rows[within(j + k - 4, n)];
#pragma omp simd
  for (int i = 0; i < m; ++i)
    means[i] = (r[0][i] + r[1][i] + r[2][i] + r[3][i] + r[4][i] + r[5][i] + r[6][i] + r[7][i] + r[8][i]) / 81;
}

void plain(const float image[n][m], float epsilon, float smooth[restrict n][m]) {
#pragma omp parallel
  {
    float p[m], q[m];
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
#pragma omp simd
      for (int i = 0; i < m; ++i) p[i] = image[j][i] * image[j][i];
      along(image[j], x_rows[j]), along(p, y_rows[j]);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      across((const float(*)[m])x_rows, j, p), across((const float(*)[m])y_rows, j, q);
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const float variance = q[i] - p[i] * p[i], s = variance / (variance + epsilon);
        a[j][i] = s, b[j][i] = p[i] - s * p[i];
      }
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) along(a[j], x_rows[j]), along(b[j], y_rows[j]);
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      across((const float(*)[m])x_rows, j, p), across((const float(*)[m])y_rows, j, q);
#pragma omp simd
      for (int i = 0; i < m; ++i) smooth[j][i] = p[i] * image[j][i] + q[i];
    }
  }
}
