#include "users.h"

typedef double field[n][n][m];
STAGE field a[7];

static void step(const field r, const field e, const field w, const field u, const field d, const field f, const field b, double omega,
                 double vx, double vy, double vz, field r2, field e2, field w2, field u2, field d2, field f2, field b2) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      const int k0 = k > 0 ? k - 1 : n - 1, k1 = k < n - 1 ? k + 1 : 0, j0 = j > 0 ? j - 1 : n - 1, j1 = j < n - 1 ? j + 1 : 0;
#define CELL(i, i0, i1)                                                                                              \
  do {                                                                                                               \
    const double c = r[k][j][i], fe = e[k][j][i0], fw = w[k][j][i1], fu = u[k][j0][i], fd = d[k][j1][i];             \
    const double ff = f[k0][j][i], fb = b[k1][j][i], heat = c + fe + fw + fu + fd + ff + fb;                         \
    r2[k][j][i] = c + omega * (0.25 * heat - c);                                                                     \
    e2[k][j][i] = fe + omega * (0.125 * heat * (1 + 4 * vx) - fe);                                                   \
    w2[k][j][i] = fw + omega * (0.125 * heat * (1 - 4 * vx) - fw);                                                   \
    u2[k][j][i] = fu + omega * (0.125 * heat * (1 + 4 * vy) - fu);                                                   \
    d2[k][j][i] = fd + omega * (0.125 * heat * (1 - 4 * vy) - fd);                                                   \
    f2[k][j][i] = ff + omega * (0.125 * heat * (1 + 4 * vz) - ff);                                                   \
    b2[k][j][i] = fb + omega * (0.125 * heat * (1 - 4 * vz) - fb);                                                   \
  } while (0)
      CELL(0, m - 1, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
      CELL(m - 1, m - 2, 0);
    }
}

void plain(const field rest, const field right, const field left, const field up, const field down, const field front, const field back,
           double omega, double vx, double vy, double vz, field r2, field e2, field w2, field n2, field s2, field t2, field b2) {
  step(rest, right, left, up, down, front, back, omega, vx, vy, vz, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
  step((const double(*)[n][m])a[0], (const double(*)[n][m])a[1], (const double(*)[n][m])a[2], (const double(*)[n][m])a[3],
       (const double(*)[n][m])a[4], (const double(*)[n][m])a[5], (const double(*)[n][m])a[6], omega, vx, vy, vz, r2, e2, w2, n2, s2, t2,
       b2);
}
