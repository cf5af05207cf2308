#include "users.h"

typedef const double (*from)[m];
typedef double (*to)[m];

STAGE double other[9][n][m];

static inline void cell(from f0, from f1, from f2, from f3, from f4, from f5, from f6, from f7, from f8, double omega, to g0, to g1,
                        to g2, to g3, to g4, to g5, to g6, to g7, to g8, int j, int i, int up, int left, int down, int right) {
  const double r = f0[j][i], e = f1[j][left], no = f2[down][i], w = f3[j][right], s = f4[up][i];
  const double ne = f5[down][left], nw = f6[down][right], sw = f7[up][right], se = f8[up][left];
  const double rho = r + e + no + w + s + ne + nw + sw + se, by = 1 / rho;
  const double x = (e - w + ne - nw - sw + se) * by, y = (no - s + ne + nw - sw - se) * by;
  const double q = 1 - 1.5 * (x * x + y * y), side = rho / 9, corner = rho / 36;
  g0[j][i] = r + omega * (4 * side * q - r);
  g1[j][i] = e + omega * (side * (q + 3 * x + 4.5 * x * x) - e);
  g2[j][i] = no + omega * (side * (q + 3 * y + 4.5 * y * y) - no);
  g3[j][i] = w + omega * (side * (q - 3 * x + 4.5 * x * x) - w);
  g4[j][i] = s + omega * (side * (q - 3 * y + 4.5 * y * y) - s);
  g5[j][i] = ne + omega * (corner * (q + 3 * (x + y) + 4.5 * (x + y) * (x + y)) - ne);
  g6[j][i] = nw + omega * (corner * (q - 3 * (x - y) + 4.5 * (x - y) * (x - y)) - nw);
  g7[j][i] = sw + omega * (corner * (q - 3 * (x + y) + 4.5 * (x + y) * (x + y)) - sw);
  g8[j][i] = se + omega * (corner * (q + 3 * (x - y) + 4.5 * (x - y) * (x - y)) - se);
}

static void step(from f0, from f1, from f2, from f3, from f4, from f5, from f6, from f7, from f8, double omega, to g0, to g1, to g2,
                 to g3, to g4, to g5, to g6, to g7, to g8) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const int up = j > 0 ? j - 1 : n - 1, down = j < n - 1 ? j + 1 : 0;
#define CELL(i, left, right)                                                                                            \
  cell(f0, f1, f2, f3, f4, f5, f6, f7, f8, omega, g0, g1, g2, g3, g4, g5, g6, g7, g8, j, i, up, left, down, right)
    CELL(0, m - 1, 1);
#pragma omp simd
    for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
    CELL(m - 1, m - 2, 0);
  }
}

void plain(from f0, from f1, from f2, from f3, from f4, from f5, from f6, from f7, from f8, double omega, to g0, to g1, to g2, to g3,
           to g4, to g5, to g6, to g7, to g8) {
  step(f0, f1, f2, f3, f4, f5, f6, f7, f8, omega, other[0], other[1], other[2], other[3], other[4], other[5], other[6], other[7],
       other[8]);
  step((from)other[0], (from)other[1], (from)other[2], (from)other[3], (from)other[4], (from)other[5], (from)other[6],
       (from)other[7], (from)other[8], omega, g0, g1, g2, g3, g4, g5, g6, g7, g8);
}
