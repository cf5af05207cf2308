#include "users.h"

/* Four zeros around, as the medium's ends ask. */
typedef float framed[n + 8][n + 8][n + 8];
STAGE framed a, b;

static void next(const float old[n][n][n], const float now[restrict n + 8][n + 8][n + 8], const float speed[restrict n][n][n],
                 const float damping[restrict n][n][n], float out[restrict n][n][n], float next_framed[restrict n + 8][n + 8][n + 8]) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < n; ++i) {
        const float *w = &now[k + 4][j + 4][i + 4];
        enum { J = n + 8, K = J * J };
        const float laplacian =
            -0.00178571f * (w[-4 * K] + w[4 * K] + w[-4 * J] + w[4 * J] + w[-4] + w[4]) +
            0.0253968f * (w[-3 * K] + w[3 * K] + w[-3 * J] + w[3 * J] + w[-3] + w[3]) -
            0.2f * (w[-2 * K] + w[2 * K] + w[-2 * J] + w[2 * J] + w[-2] + w[2]) +
            1.6f * (w[-K] + w[K] + w[-J] + w[J] + w[-1] + w[1]) - 3 * 2.84722f * w[0];
        const float c = damping[k][j][i];
        const float x = (2 * w[0] - (1 - c) * old[k][j][i] + speed[k][j][i] * laplacian) / (1 + c);
        out[k][j][i] = x;
        if (next_framed) next_framed[k + 4][j + 4][i + 4] = x;
      }
}

STAGE float one[n][n][n];

void plain(const float old[n][n][n], const float now[n][n][n], const float speed[n][n][n], const float damping[n][n][n],
           float before[n][n][n], float last[n][n][n]) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) memcpy(&a[k + 4][j + 4][4], now[k][j], sizeof now[k][j]);
  next(old, (const float(*)[n + 8][n + 8])a, speed, damping, one, b);
  next(now, (const float(*)[n + 8][n + 8])b, speed, damping, before, a);
  next((const float(*)[n][n])one, (const float(*)[n + 8][n + 8])a, speed, damping, last, NULL);
}
