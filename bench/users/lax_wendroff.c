#include "users.h"

STAGE double hh[n + 1][m + 1], hp[n + 1][m + 1], hq[n + 1][m + 1], h1[n][m], p1[n][m], q1[n][m];

static inline double xx(double h, double p) { return p * p / h + 4.9 * h * h; }

static inline int within(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }

static void step(const double h[n][m], const double p[n][m], const double q[n][m], double c, double h2[restrict n][m],
                 double p2[restrict n][m], double q2[restrict n][m]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j <= n; ++j) {
      const int a = within(j - 1, n), b = within(j, n);
      const double sa = j == 0 ? -1 : 1, sb = j == n ? -1 : 1, s = 0.25 * c;
#define CORNER(i, l, r, sl, sr)                                                                                              \
  do {                                                                                                                       \
    const double h00 = h[a][l], h01 = h[a][r], h10 = h[b][l], h11 = h[b][r];                                                 \
    const double p00 = sl * p[a][l], p01 = sr * p[a][r], p10 = sl * p[b][l], p11 = sr * p[b][r];                             \
    const double q00 = sa * q[a][l], q01 = sa * q[a][r], q10 = sb * q[b][l], q11 = sb * q[b][r];                             \
    const double x00 = p00 * q00 / h00, x01 = p01 * q01 / h01, x10 = p10 * q10 / h10, x11 = p11 * q11 / h11;                 \
    hh[j][i] = 0.25 * (h00 + h01 + h10 + h11) - s * (p01 + p11 - p00 - p10 + q10 + q11 - q00 - q01);                         \
    hp[j][i] = 0.25 * (p00 + p01 + p10 + p11) -                                                                              \
               s * (xx(h01, p01) + xx(h11, p11) - xx(h00, p00) - xx(h10, p10) + x10 + x11 - x00 - x01);                      \
    hq[j][i] = 0.25 * (q00 + q01 + q10 + q11) -                                                                              \
               s * (x01 + x11 - x00 - x10 + xx(h10, q10) + xx(h11, q11) - xx(h00, q00) - xx(h01, q01));                      \
  } while (0)
      CORNER(0, 0, 0, -1, 1);
#pragma omp simd
      for (int i = 1; i < m; ++i) CORNER(i, i - 1, i, 1, 1);
      CORNER(m, m - 1, m - 1, 1, -1);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const double h00 = hh[j][i], h01 = hh[j][i + 1], h10 = hh[j + 1][i], h11 = hh[j + 1][i + 1], s = 0.5 * c;
        const double p00 = hp[j][i], p01 = hp[j][i + 1], p10 = hp[j + 1][i], p11 = hp[j + 1][i + 1];
        const double q00 = hq[j][i], q01 = hq[j][i + 1], q10 = hq[j + 1][i], q11 = hq[j + 1][i + 1];
        const double x00 = p00 * q00 / h00, x01 = p01 * q01 / h01, x10 = p10 * q10 / h10, x11 = p11 * q11 / h11;
        h2[j][i] = h[j][i] - s * (p01 + p11 - p00 - p10 + q10 + q11 - q00 - q01);
        p2[j][i] = p[j][i] - s * (xx(h01, p01) + xx(h11, p11) - xx(h00, p00) - xx(h10, p10) + x10 + x11 - x00 - x01);
        q2[j][i] = q[j][i] - s * (x01 + x11 - x00 - x10 + xx(h10, q10) + xx(h11, q11) - xx(h00, q00) - xx(h01, q01));
      }
  }
}

void plain(const double h[n][m], const double p[n][m], const double q[n][m], double c, double h2[n][m], double p2[n][m], double q2[n][m]) {
  step(h, p, q, c, h1, p1, q1);
  step((const double(*)[m])h1, (const double(*)[m])p1, (const double(*)[m])q1, c, h2, p2, q2);
}
