#include "users.h"

enum { N = 2 * n + 1 };
STAGE double v[N + 2][N + 2], r[N][N], g[n][n], e[n + 2][n + 2], e2[n + 2][n + 2];

void plain(const double u[N][N], const double f[N][N], double smooth[restrict N][N]) {
  double(*from)[n + 2] = e, (*to)[n + 2] = e2;
#pragma omp parallel
  {
    static const double zeros[N];
#pragma omp for schedule(static)
    for (int j = 0; j < N; ++j) {
      const double *up = j > 0 ? u[j - 1] : zeros, *x = u[j], *down = j < N - 1 ? u[j + 1] : zeros;
#define SWEEP(i, l, r) (v[j + 1][i + 1] = x[i] + 0.2 * (f[j][i] - (4 * x[i] - up[i] - (l) - (r)-down[i])))
      SWEEP(0, 0, x[1]);
#pragma omp simd
      for (int i = 1; i < N - 1; ++i) SWEEP(i, x[i - 1], x[i + 1]);
      SWEEP(N - 1, x[N - 2], 0);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < N; ++j)
#pragma omp simd
      for (int i = 0; i < N; ++i)
        r[j][i] = f[j][i] - (4 * v[j + 1][i + 1] - v[j][i + 1] - v[j + 1][i] - v[j + 1][i + 2] - v[j + 2][i + 1]);
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < n; ++i) {
        const double *a = &r[2 * j][2 * i], *b = &r[2 * j + 1][2 * i], *c = &r[2 * j + 2][2 * i];
        g[j][i] = (4 * b[1] + 2 * (a[1] + b[0] + b[2] + c[1]) + a[0] + a[2] + c[0] + c[2]) / 4;
        e[j + 1][i + 1] = 0.2 * g[j][i];
      }
    for (int t = 0; t < 3; ++t) {
#pragma omp for schedule(static)
      for (int j = 1; j <= n; ++j)
#pragma omp simd
        for (int i = 1; i <= n; ++i)
          to[j][i] = from[j][i] + 0.2 * (g[j - 1][i - 1] - (4 * from[j][i] - from[j - 1][i] - from[j][i - 1] - from[j][i + 1] - from[j + 1][i]));
#pragma omp single
      {
        double(*swap)[n + 2] = from;
        from = to, to = swap;
      }
    }
#pragma omp for schedule(static)
    for (int j = 0; j < N; ++j) {
      double rows[n + 2];
      const double *a = from[(j + 1) / 2], *b = from[(j + 2) / 2];
#pragma omp simd
      for (int i = 0; i < n + 2; ++i) rows[i] = 0.5 * (a[i] + b[i]);
      for (int i = 0; i < n; ++i) {
        v[j + 1][2 * i + 1] += 0.5 * (rows[i] + rows[i + 1]);
        v[j + 1][2 * i + 2] += rows[i + 1];
      }
      v[j + 1][N] += 0.5 * (rows[n] + rows[n + 1]);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < N; ++j)
#pragma omp simd
      for (int i = 0; i < N; ++i)
        smooth[j][i] = v[j + 1][i + 1] +
                       0.2 * (f[j][i] - (4 * v[j + 1][i + 1] - v[j][i + 1] - v[j + 1][i] - v[j + 1][i + 2] - v[j + 2][i + 1]));
  }
}
