#include "users.h"

STAGE float rows[n][m];

void plain(const float image[n][m], float a1, float a2, float a3, float a4, float b1, float b2, float smooth[restrict n][m]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      float y1 = 0, y2 = 0, x1 = 0, x2 = 0;
      for (int i = 0; i < m; ++i) {
        const float x = image[j][i], y = a1 * x + a2 * x1 + b1 * y1 + b2 * y2;
        rows[j][i] = y, x1 = x, y2 = y1, y1 = y;
      }
      x1 = y1 = y2 = 0;
      for (int i = m - 1; i >= 0; --i) {
        const float y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
        rows[j][i] += y, x2 = x1, x1 = image[j][i], y2 = y1, y1 = y;
      }
    }
    /* Along columns, those of a strip side by side. */
#pragma omp for schedule(static)
    for (int block = 0; block < m; block += 64) {
      const int width = m - block < 64 ? m - block : 64;
      float y1[64] = {0}, y2[64] = {0}, x1[64] = {0}, x2[64] = {0};
      for (int j = 0; j < n; ++j)
#pragma omp simd
        for (int i = 0; i < width; ++i) {
          const float x = rows[j][block + i], y = a1 * x + a2 * x1[i] + b1 * y1[i] + b2 * y2[i];
          smooth[j][block + i] = y, x1[i] = x, y2[i] = y1[i], y1[i] = y;
        }
      memset(y1, 0, sizeof y1), memset(y2, 0, sizeof y2), memset(x1, 0, sizeof x1);
      for (int j = n - 1; j >= 0; --j)
#pragma omp simd
        for (int i = 0; i < width; ++i) {
          const float y = a3 * x1[i] + a4 * x2[i] + b1 * y1[i] + b2 * y2[i];
          smooth[j][block + i] += y, x2[i] = x1[i], x1[i] = rows[j][block + i], y2[i] = y1[i], y1[i] = y;
        }
    }
  }
}
