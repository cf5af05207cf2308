#include "users.h"

STAGE double ap[n][n];

void plain(const double x[restrict n][n], const double r[restrict n][n], const double p[restrict n][n], double x_next[restrict n][n],
           double r_next[restrict n][n], double p_next[restrict n][n], double squares[1]) {
  double before = 0, curvature = 0, after = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : before, curvature)
    for (int j = 0; j < n; ++j) {
      static const double zeros[n];
      const double *up = j > 0 ? p[j - 1] : zeros, *here = p[j], *down = j < n - 1 ? p[j + 1] : zeros;
      ap[j][0] = 4 * here[0] - up[0] - here[1] - down[0];
      ap[j][n - 1] = 4 * here[n - 1] - up[n - 1] - here[n - 2] - down[n - 1];
      double s = r[j][0] * r[j][0] + r[j][n - 1] * r[j][n - 1], t = here[0] * ap[j][0] + here[n - 1] * ap[j][n - 1];
#pragma omp simd reduction(+ : s, t)
      for (int i = 1; i < n - 1; ++i) {
        ap[j][i] = 4 * here[i] - up[i] - here[i - 1] - here[i + 1] - down[i];
        s += r[j][i] * r[j][i], t += here[i] * ap[j][i];
      }
      before += s, curvature += t;
    }
    const double alpha = before / curvature;
#pragma omp for schedule(static) reduction(+ : after)
    for (int j = 0; j < n; ++j) {
      double s = 0;
#pragma omp simd reduction(+ : s)
      for (int i = 0; i < n; ++i) {
        x_next[j][i] = x[j][i] + alpha * p[j][i];
        const double left = r_next[j][i] = r[j][i] - alpha * ap[j][i];
        s += left * left;
      }
      after += s;
    }
    const double beta = after / before;
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < n; ++i) p_next[j][i] = r_next[j][i] + beta * p[j][i];
  }
  squares[0] = after;
}
