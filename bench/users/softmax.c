#include "users.h"

void plain(const float scores[n][n], float scale, float weights[restrict n][n], float entropy[1]) {
  float whole = 0;
#pragma omp parallel for schedule(static) reduction(+ : whole)
  for (int j = 0; j < n; ++j) {
    float v[n], top = -INFINITY, total = 0, sharp = 0;
#pragma omp simd reduction(max : top)
    for (int i = 0; i < n; ++i) {
      v[i] = i <= j ? scale * scores[j][i] : -80;
      top = v[i] > top ? v[i] : top;
    }
    for (int i = 0; i < n; ++i) v[i] = expf(v[i] - top);
#pragma omp simd reduction(+ : total)
    for (int i = 0; i < n; ++i) total += v[i];
    const float by = 1 / total;
    for (int i = 0; i < n; ++i) {
      const float p = weights[j][i] = v[i] * by;
      sharp += p * logf(p + 0.000001f);
    }
    whole += sharp;
  }
  entropy[0] = whole;
}
