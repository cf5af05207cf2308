#include "users.h"

STAGE double v[n][m], s[n][m], t[n][m];

static inline void row(const double p[n][m], int j, double out[m]) {
  static const double zeros[m];
  const double *up = j > 0 ? p[j - 1] : zeros, *here = p[j], *down = j < n - 1 ? p[j + 1] : zeros;
  out[0] = 4.5 * here[0] - 1.2 * up[0] - 0.9 * here[1] - 0.8 * down[0];
  out[m - 1] = 4.5 * here[m - 1] - 1.2 * up[m - 1] - 1.1 * here[m - 2] - 0.8 * down[m - 1];
#pragma omp simd
  for (int i = 1; i < m - 1; ++i) out[i] = 4.5 * here[i] - 1.2 * up[i] - 1.1 * here[i - 1] - 0.9 * here[i + 1] - 0.8 * down[i];
}

void plain(const double x[n][m], const double r[n][m], const double p[n][m], const double shadow[n][m], double x_next[restrict n][m],
           double r_next[restrict n][m], double p_next[restrict n][m], double squares[1]) {
  double rho = 0, sv = 0, ts = 0, tt = 0, sr = 0, rr = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : rho, sv)
    for (int j = 0; j < n; ++j) {
      row(p, j, v[j]);
      double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
      for (int i = 0; i < m; ++i) a += shadow[j][i] * r[j][i], b += shadow[j][i] * v[j][i];
      rho += a, sv += b;
    }
    const double alpha = rho / sv;
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) s[j][i] = r[j][i] - alpha * v[j][i];
#pragma omp for schedule(static) reduction(+ : ts, tt)
    for (int j = 0; j < n; ++j) {
      row((const double(*)[m])s, j, t[j]);
      double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
      for (int i = 0; i < m; ++i) a += t[j][i] * s[j][i], b += t[j][i] * t[j][i];
      ts += a, tt += b;
    }
    const double omega = ts / tt;
#pragma omp for schedule(static) reduction(+ : sr, rr)
    for (int j = 0; j < n; ++j) {
      double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
      for (int i = 0; i < m; ++i) {
        x_next[j][i] = x[j][i] + alpha * p[j][i] + omega * s[j][i];
        const double left = r_next[j][i] = s[j][i] - omega * t[j][i];
        a += shadow[j][i] * left, b += left * left;
      }
      sr += a, rr += b;
    }
    const double beta = sr / rho * (alpha / omega);
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) p_next[j][i] = r_next[j][i] + beta * (p[j][i] - omega * v[j][i]);
  }
  squares[0] = rr;
}
