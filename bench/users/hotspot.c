#include "users.h"

STAGE float other[n][n];

static void next(const float t[restrict n][n], const float power[restrict n][n], float step, float rx, float ry, float rz,
                 float out[restrict n][n]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const float *above = t[j > 0 ? j - 1 : 0], *here = t[j], *below = t[j < n - 1 ? j + 1 : n - 1];
#define CELL(i, l, r)                                                                                            \
  out[j][i] = here[i] + step * (power[j][i] + (below[i] + above[i] - 2 * here[i]) * ry +                         \
                                (here[r] + here[l] - 2 * here[i]) * rx + (80 - here[i]) * rz)
    CELL(0, 0, 1);
    for (int i = 1; i < n - 1; ++i) CELL(i, i - 1, i + 1);
    CELL(n - 1, n - 2, n - 1);
  }
}

void plain(const float temperature[n][n], const float power[n][n], float step, float rx, float ry, float rz,
           float after[n][n]) {
  next(temperature, power, step, rx, ry, rz, other);
  for (int t = 1; t < 7; t += 2) {
    next(other, power, step, rx, ry, rz, after);
    next(after, power, step, rx, ry, rz, other);
  }
  next(other, power, step, rx, ry, rz, after);
}
