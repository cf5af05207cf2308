#include "users.h"

static inline double less(double a, double b) { return a < b ? a : b; }

void plain(const double series[n], const double other[m], double cost[restrict n][m + 1]) {
  double before[m + 1];
  before[0] = 0;
  for (int i = 1; i <= m; ++i) before[i] = 1e30;
  for (int j = 0; j < n; ++j) {
    const double x = series[j], *above = j ? cost[j - 1] : before;
    double left = cost[j][0] = 1e30, best[m], far[m];
#pragma omp simd
    for (int i = 0; i < m; ++i) best[i] = less(above[i], above[i + 1]), far[i] = fabs(x - other[i]);
    for (int i = 0; i < m; ++i) cost[j][i + 1] = left = far[i] + less(best[i], left);
  }
}
