#include "users.h"

STAGE double sy[n][m], sx[n][m], fy[n][m], fx[n][m], q1[n][m];

static inline double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }
static inline double upwind(double speed, double a, double b, double s, double t) { return speed * (speed > 0 ? a + 0.5 * s : b - 0.5 * t); }

static void stage(const double q0[n][m], const double q[n][m], const double u[n][m], const double v[n][m], double step, int last,
                  double out[restrict n][m]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const double *up = q[j > 0 ? j - 1 : n - 1], *x = q[j], *down = q[j < n - 1 ? j + 1 : 0];
#define SLOPES(i, l, r) (sy[j][i] = minmod(x[i] - up[i], down[i] - x[i]), sx[j][i] = minmod(x[i] - x[l], x[r] - x[i]))
      SLOPES(0, m - 1, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) SLOPES(i, i - 1, i + 1);
      SLOPES(m - 1, m - 2, 0);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const int b = j > 0 ? j - 1 : n - 1;
      fx[j][0] = upwind(u[j][0], q[j][m - 1], q[j][0], sx[j][m - 1], sx[j][0]);
#pragma omp simd
      for (int i = 1; i < m; ++i) fx[j][i] = upwind(u[j][i], q[j][i - 1], q[j][i], sx[j][i - 1], sx[j][i]);
#pragma omp simd
      for (int i = 0; i < m; ++i) fy[j][i] = upwind(v[j][i], q[b][i], q[j][i], sy[b][i], sy[j][i]);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const double *above = fy[j < n - 1 ? j + 1 : 0];
#define NEXT(i, r)                                                                       \
  do {                                                                                   \
    const double x = q[j][i] + step * (fy[j][i] - above[i] + fx[j][i] - fx[j][r]);       \
    out[j][i] = last ? 0.5 * (q0[j][i] + x) : x;                                         \
  } while (0)
#pragma omp simd
      for (int i = 0; i < m - 1; ++i) NEXT(i, i + 1);
      NEXT(m - 1, 0);
    }
  }
}

void plain(const double q[n][m], const double u[n][m], const double v[n][m], double step, double advected[n][m]) {
  stage(q, q, u, v, step, 0, q1);
  stage(q, (const double(*)[m])q1, u, v, step, 1, advected);
}
