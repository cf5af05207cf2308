#include "users.h"

STAGE double one[n][n][n], two[n][n][n], three[n][n][n];

static inline double rest(const double u[n][n][n], const double f[n][n][n], int k, int j, int i) {
  return f[k][j][i] - (6 * u[k][j][i] - (k > 0 ? u[k - 1][j][i] : 0) - (k < n - 1 ? u[k + 1][j][i] : 0) - (j > 0 ? u[k][j - 1][i] : 0) -
                       (j < n - 1 ? u[k][j + 1][i] : 0) - (i > 0 ? u[k][j][i - 1] : 0) - (i < n - 1 ? u[k][j][i + 1] : 0));
}

static void next(const double before[restrict n][n][n], const double u[restrict n][n][n], const double f[restrict n][n][n], double keep,
                 double by, double out[restrict n][n][n]) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k) {
    static const double zeros[n];
    for (int j = 0; j < n; ++j) {
      const double *here = u[k][j], *a = k > 0 ? u[k - 1][j] : zeros, *b = k < n - 1 ? u[k + 1][j] : zeros;
      const double *c = j > 0 ? u[k][j - 1] : zeros, *d = j < n - 1 ? u[k][j + 1] : zeros;
      for (int i = 0; i < n; i += n > 1 ? n - 1 : 1)
        out[k][j][i] = here[i] + keep * (here[i] - before[k][j][i]) + by * rest(u, f, k, j, i);
      for (int i = 1; i < n - 1; ++i)
        out[k][j][i] = here[i] + keep * (here[i] - before[k][j][i]) +
                       by * (f[k][j][i] - (6 * here[i] - a[i] - b[i] - c[i] - d[i] - here[i - 1] - here[i + 1]));
    }
  }
}

void plain(const double u[n][n][n], const double f[n][n][n], double smooth[n][n][n]) {
  next(u, u, f, 0, 0.15, one);
  next(u, (const double(*)[n][n])one, f, 0.18, 0.19, two);
  next((const double(*)[n][n])one, (const double(*)[n][n])two, f, 0.24, 0.21, three);
  next((const double(*)[n][n])two, (const double(*)[n][n])three, f, 0.27, 0.22, smooth);
}
