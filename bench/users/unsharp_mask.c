#include "users.h"

void plain(const float image[3][n + 4][m + 4], float weight, float threshold, float sharp[restrict 3][n][m]) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int c = 0; c < 3; ++c)
    for (int j = 0; j < n; ++j) {
      float down[m + 4];
      const float(*x)[m + 4] = &image[c][j];
      for (int i = 0; i < m + 4; ++i) down[i] = (x[0][i] + 4 * x[1][i] + 6 * x[2][i] + 4 * x[3][i] + x[4][i]) / 16;
      for (int i = 0; i < m; ++i) {
        const float b = (down[i] + 4 * down[i + 1] + 6 * down[i + 2] + 4 * down[i + 3] + down[i + 4]) / 16, d = x[2][i + 2] - b;
        sharp[c][j][i] = x[2][i + 2] + weight * (d - (d < -threshold ? -threshold : d > threshold ? threshold : d));
      }
    }
}
