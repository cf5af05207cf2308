#include "users.h"

STAGE double c[levels][points], d[levels][points];

enum { WIDTH = 64 };

void plain(const double theta[levels][points], const double u[levels][points], double step, double tendency[restrict levels][points]) {
#pragma omp parallel for schedule(static)
  for (int block = 0; block < points; block += WIDTH) {
    const int end = block + WIDTH < points ? block + WIDTH : points;
    double up[WIDTH] = {0}, down[WIDTH], c1[WIDTH] = {0}, d1[WIDTH] = {0}, x1[WIDTH] = {0};
    for (int k = 0; k < levels; ++k) {
      if (k < levels - 1)
#pragma omp simd
        for (int i = block; i < end; ++i) {
          const double shear = (u[k + 1][i] - u[k][i]) * (u[k + 1][i] - u[k][i]) + 0.01;
          const double richardson = 0.03 * (theta[k + 1][i] - theta[k][i]) / shear;
          const double stable = 1 / (1 + 10 * richardson * sqrt(fabs(1 + richardson))), not = sqrt(fabs(1 - 16 * richardson));
          down[i - block] = step * (sqrt(shear) * (richardson > 0 ? stable : not));
        }
      else
        memset(down, 0, sizeof down);
#pragma omp simd
      for (int i = block; i < end; ++i) {
        const int b = i - block;
        const double by = 1 / (1 + up[b] + down[b] - up[b] * c1[b]);
        d[k][i] = d1[b] = (theta[k][i] + up[b] * d1[b]) * by;
        c[k][i] = c1[b] = down[b] * by;
        up[b] = down[b];
      }
    }
    for (int k = levels - 1; k >= 0; --k)
#pragma omp simd
      for (int i = block; i < end; ++i) {
        const double x = x1[i - block] = d[k][i] + c[k][i] * x1[i - block];
        tendency[k][i] = (x - theta[k][i]) / step;
      }
  }
}
