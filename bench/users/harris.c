#include "users.h"

STAGE float ix[n + 2][m + 2], iy[n + 2][m + 2];

void plain(const float image[n + 4][m + 4], float response[restrict n][m]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n + 2; ++j) {
      const float *a = image[j], *b = image[j + 1], *c = image[j + 2];
#pragma omp simd
      for (int i = 0; i < m + 2; ++i) {
        ix[j][i] = (a[i + 2] - a[i] + 2 * (b[i + 2] - b[i]) + c[i + 2] - c[i]) / 12;
        iy[j][i] = (c[i] - a[i] + 2 * (c[i + 1] - a[i + 1]) + c[i + 2] - a[i + 2]) / 12;
      }
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      float xx[m + 2], xy[m + 2], yy[m + 2]; /* sums along columns */
#pragma omp simd
      for (int i = 0; i < m + 2; ++i) {
        const float a = ix[j][i], b = ix[j + 1][i], c = ix[j + 2][i], d = iy[j][i], e = iy[j + 1][i], f = iy[j + 2][i];
        xx[i] = a * a + b * b + c * c, xy[i] = a * d + b * e + c * f, yy[i] = d * d + e * e + f * f;
      }
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const float p = xx[i] + xx[i + 1] + xx[i + 2], q = xy[i] + xy[i + 1] + xy[i + 2], r = yy[i] + yy[i + 1] + yy[i + 2];
        response[j][i] = p * r - q * q - 0.04f * (p + r) * (p + r);
      }
    }
  }
}
