#include "users.h"

static void step(double s, const double ex0[n][m], const double ey0[n][m], const double hz0[n][m], double ex[n][m],
                 double ey[n][m], double hz[n][m]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    ex[j][0] = ex0[j][0];
#pragma omp simd
    for (int i = 1; i < m; ++i) ex[j][i] = ex0[j][i] - 0.5 * (hz0[j][i] - hz0[j][i - 1]);
    if (j == 0)
      for (int i = 0; i < m; ++i) ey[0][i] = s;
    else
#pragma omp simd
      for (int i = 0; i < m; ++i) ey[j][i] = ey0[j][i] - 0.5 * (hz0[j][i] - hz0[j - 1][i]);
  }
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n - 1; ++j) {
#pragma omp simd
    for (int i = 0; i < m - 1; ++i) hz[j][i] = hz0[j][i] - 0.7 * (ex[j][i + 1] - ex[j][i] + ey[j + 1][i] - ey[j][i]);
    hz[j][m - 1] = hz0[j][m - 1];
  }
  if (hz != hz0) memcpy(hz[n - 1], hz0[n - 1], sizeof hz[0]);
}

void plain(const double ex[n][m], const double ey[n][m], const double hz[n][m], double ex_next[n][m], double ey_next[n][m],
           double hz_next[n][m]) {
  step(0, ex, ey, hz, ex_next, ey_next, hz_next);
  for (int t = 1; t < 4; ++t) step(t, ex_next, ey_next, hz_next, ex_next, ey_next, hz_next);
}
