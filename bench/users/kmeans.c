#include "users.h"

void plain(const float features[points][16], const float centres[8][16], int label[restrict points], float inertia[1]) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < points; ++i) {
    float least = INFINITY;
    int at = 0;
    for (int k = 0; k < 8; ++k) {
      float d = 0;
#pragma omp simd reduction(+ : d)
      for (int f = 0; f < 16; ++f) d += (features[i][f] - centres[k][f]) * (features[i][f] - centres[k][f]);
      if (d < least) least = d, at = k;
    }
    label[i] = at;
    sum += least;
  }
  inertia[0] = (float)sum;
}
