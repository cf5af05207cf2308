#include "users.h"

static inline double limited(double flux, double slope) { return flux * slope > 0 ? 0 : flux; }

void plain(const double field[levels][n + 4][m + 4], const double strength[levels][n][m], double out[restrict levels][n][m]) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < levels; ++k) {
    double lap[n + 2][m + 2], flx[n][m + 1], fly[n + 1][m];
    const double(*x)[m + 4] = field[k];
    for (int j = 0; j < n + 2; ++j)
      for (int i = 0; i < m + 2; ++i)
        lap[j][i] = 4 * x[j + 1][i + 1] - (x[j][i + 1] + x[j + 1][i] + x[j + 1][i + 2] + x[j + 2][i + 1]);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m + 1; ++i)
        flx[j][i] = limited(lap[j + 1][i + 1] - lap[j + 1][i], x[j + 2][i + 2] - x[j + 2][i + 1]);
    for (int j = 0; j < n + 1; ++j)
      for (int i = 0; i < m; ++i)
        fly[j][i] = limited(lap[j + 1][i + 1] - lap[j][i + 1], x[j + 2][i + 2] - x[j + 1][i + 2]);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        out[k][j][i] = x[j + 2][i + 2] - strength[k][j][i] * (flx[j][i + 1] - flx[j][i] + fly[j + 1][i] - fly[j][i]);
  }
}
