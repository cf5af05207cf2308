#include "users.h"

STAGE float q[n][n][m];

static float sweep(const float p[n][n][m], const float a[4][n][n][m], const float b[3][n][n][m], const float c[3][n][n][m],
                   const float bound[n][n][m], const float work[n][n][m], float out[restrict n][n][m]) {
  float gosa = 0;
#pragma omp parallel for schedule(static) reduction(+ : gosa)
  for (int k = 0; k < n; ++k) {
    if (k == 0 || k == n - 1) {
      memcpy(out[k], p[k], sizeof out[k]);
      continue;
    }
    memcpy(out[k][0], p[k][0], sizeof out[k][0]), memcpy(out[k][n - 1], p[k][n - 1], sizeof out[k][0]);
    float plane = 0;
    for (int j = 1; j < n - 1; ++j) {
      float sum = 0;
      out[k][j][0] = p[k][j][0], out[k][j][m - 1] = p[k][j][m - 1];
#pragma omp simd reduction(+ : sum)
      for (int i = 1; i < m - 1; ++i) {
        const float s0 =
            a[0][k][j][i] * p[k + 1][j][i] + a[1][k][j][i] * p[k][j + 1][i] + a[2][k][j][i] * p[k][j][i + 1] +
            b[0][k][j][i] * (p[k + 1][j + 1][i] - p[k + 1][j - 1][i] - p[k - 1][j + 1][i] + p[k - 1][j - 1][i]) +
            b[1][k][j][i] * (p[k][j + 1][i + 1] - p[k][j - 1][i + 1] - p[k][j + 1][i - 1] + p[k][j - 1][i - 1]) +
            b[2][k][j][i] * (p[k + 1][j][i + 1] - p[k - 1][j][i + 1] - p[k + 1][j][i - 1] + p[k - 1][j][i - 1]) +
            c[0][k][j][i] * p[k - 1][j][i] + c[1][k][j][i] * p[k][j - 1][i] + c[2][k][j][i] * p[k][j][i - 1] + work[k][j][i];
        const float s = (s0 * a[3][k][j][i] - p[k][j][i]) * bound[k][j][i];
        sum += s * s;
        out[k][j][i] = p[k][j][i] + 0.8f * s;
      }
      plane += sum;
    }
    gosa += plane;
  }
  return gosa;
}

void plain(const float p[n][n][m], const float a[4][n][n][m], const float b[3][n][n][m], const float c[3][n][n][m],
           const float bound[n][n][m], const float work[n][n][m], float pressure[n][n][m], float gosa[1]) {
  sweep(p, a, b, c, bound, work, q);
  gosa[0] = sweep((const float(*)[n][m])q, a, b, c, bound, work, pressure);
}
