#include "users.h"

STAGE float g[n][m], py[n][m], px[n][m];

static inline void divergence(int j, int first, float d[m]) {
  static const float zeros[m];
  const float *above = j > 0 ? py[j - 1] : zeros;
  if (first) {
    memset(d, 0, sizeof(float[m]));
    return;
  }
  d[0] = py[j][0] - above[0] + px[j][0];
#pragma omp simd
  for (int i = 1; i < m; ++i) d[i] = py[j][i] - above[i] + (px[j][i] - px[j][i - 1]);
}

void plain(const float image[n][m], float lambda, float tau, float smooth[restrict n][m]) {
#pragma omp parallel
  for (int t = 0; t < 5; ++t) {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      float d[m];
      divergence(j, t == 0, d);
      if (t == 4)
#pragma omp simd
        for (int i = 0; i < m; ++i) smooth[j][i] = image[j][i] - d[i] / lambda;
      else
#pragma omp simd
        for (int i = 0; i < m; ++i) g[j][i] = d[i] - lambda * image[j][i];
    }
    if (t < 4) {
#pragma omp for schedule(static)
      for (int j = 0; j < n; ++j) {
        const float *below = g[j < n - 1 ? j + 1 : j];
#define CELL(i, r)                                                                                   \
  do {                                                                                               \
    const float gy = below[i] - g[j][i], gx = g[j][r] - g[j][i];                                     \
    const float by = 1 / (1 + tau * sqrtf(gy * gy + gx * gx));                                       \
    py[j][i] = ((t ? py[j][i] : 0) + tau * gy) * by, px[j][i] = ((t ? px[j][i] : 0) + tau * gx) * by; \
  } while (0)
#pragma omp simd
        for (int i = 0; i < m - 1; ++i) CELL(i, i + 1);
        CELL(m - 1, m - 1);
      }
    }
  }
}
