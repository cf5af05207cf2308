#include "users.h"

STAGE float other[layers][n][n];

static void next(const float t[restrict layers][n][n], const float power[restrict layers][n][n], float cc, float cn, float ct,
                 float source, float out[restrict layers][n][n]) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < n; ++j) {
      const float *here = t[k][j], *above = t[k > 0 ? k - 1 : 0][j], *below = t[k < layers - 1 ? k + 1 : k][j];
      const float *north = t[k][j > 0 ? j - 1 : 0], *south = t[k][j < n - 1 ? j + 1 : j];
#define CELL(i, l, r)                                                                                                 \
  out[k][j][i] = cc * here[i] + cn * (north[i] + south[i] + here[l] + here[r]) + ct * (above[i] + below[i]) +         \
                 source * power[k][j][i] + ct * 80
      CELL(0, 0, 1);
      for (int i = 1; i < n - 1; ++i) CELL(i, i - 1, i + 1);
      CELL(n - 1, n - 2, n - 1);
    }
}

void plain(const float temperature[layers][n][n], const float power[layers][n][n], float cc, float cn, float ct, float source,
           float after[layers][n][n]) {
  next(temperature, power, cc, cn, ct, source, other);
  next(other, power, cc, cn, ct, source, after);
  next(after, power, cc, cn, ct, source, other);
  next(other, power, cc, cn, ct, source, after);
}
