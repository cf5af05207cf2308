#include "users.h"

void plain(const float x[inputs], const float w[inputs][16], const float before[inputs][16], const float v[16], float target,
           float w_next[restrict inputs][16], float change[restrict inputs][16], float error[1]) {
  float sums[16] = {0}, hidden[16], deltas[16], out = 0;
#pragma omp parallel for schedule(static) reduction(+ : sums[ : 16])
  for (int k = 0; k < inputs; ++k)
    for (int i = 0; i < 16; ++i) sums[i] += x[k] * w[k][i];
  for (int i = 0; i < 16; ++i) hidden[i] = 1 / (1 + expf(-0.001f * sums[i])), out += hidden[i] * v[i];
  out = 1 / (1 + expf(-out));
  const float delta = out * (1 - out) * (target - out);
  for (int i = 0; i < 16; ++i) deltas[i] = hidden[i] * (1 - hidden[i]) * delta * v[i];
#pragma omp parallel for schedule(static)
  for (int k = 0; k < inputs; ++k)
#pragma omp simd
    for (int i = 0; i < 16; ++i) {
      const float d = 0.3f * deltas[i] * x[k] + 0.3f * before[k][i];
      change[k][i] = d, w_next[k][i] = w[k][i] + d;
    }
  error[0] = fabsf(delta);
}
