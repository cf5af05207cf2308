#include "users.h"

typedef double field[n][n][m];

void plain(const field ex, const field ey, const field ez, const field hx, const field hy, const field hz, const field loss, const field gain,
           field ex2, field ey2, field ez2, field hx2, field hy2, field hz2, double energy[1]) {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        if (k == 0 || k == n - 1 || j == 0 || j == n - 1) {
          memset(ex2[k][j], 0, sizeof ex2[k][j]), memset(ey2[k][j], 0, sizeof ey2[k][j]), memset(ez2[k][j], 0, sizeof ez2[k][j]);
          continue;
        }
        ex2[k][j][0] = ey2[k][j][0] = ez2[k][j][0] = ex2[k][j][m - 1] = ey2[k][j][m - 1] = ez2[k][j][m - 1] = 0;
        double s = 0;
#pragma omp simd reduction(+ : s)
        for (int i = 1; i < m - 1; ++i) {
          const double l = loss[k][j][i], g = gain[k][j][i];
          const double x = l * ex[k][j][i] + g * ((hz[k][j][i] - hz[k][j - 1][i]) - (hy[k][j][i] - hy[k - 1][j][i]));
          const double y = l * ey[k][j][i] + g * ((hx[k][j][i] - hx[k - 1][j][i]) - (hz[k][j][i] - hz[k][j][i - 1]));
          const double z = l * ez[k][j][i] + g * ((hy[k][j][i] - hy[k][j][i - 1]) - (hx[k][j][i] - hx[k][j - 1][i]));
          ex2[k][j][i] = x, ey2[k][j][i] = y, ez2[k][j][i] = z;
          s += x * x + y * y + z * z;
        }
        sum += s;
      }
#pragma omp for schedule(static)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        static const double zeros[m];
        const double *xk = k < n - 1 ? ex2[k + 1][j] : zeros, *xj = j < n - 1 ? ex2[k][j + 1] : zeros;
        const double *yk = k < n - 1 ? ey2[k + 1][j] : zeros, *zj = j < n - 1 ? ez2[k][j + 1] : zeros;
        const double *x = ex2[k][j], *y = ey2[k][j], *z = ez2[k][j];
#pragma omp simd
        for (int i = 0; i < m; ++i) hx2[k][j][i] = hx[k][j][i] - 0.5 * ((zj[i] - z[i]) - (yk[i] - y[i]));
#pragma omp simd
        for (int i = 0; i < m - 1; ++i) {
          hy2[k][j][i] = hy[k][j][i] - 0.5 * ((xk[i] - x[i]) - (z[i + 1] - z[i]));
          hz2[k][j][i] = hz[k][j][i] - 0.5 * ((y[i + 1] - y[i]) - (xj[i] - x[i]));
        }
        hy2[k][j][m - 1] = hy[k][j][m - 1] - 0.5 * ((xk[m - 1] - x[m - 1]) + z[m - 1]);
        hz2[k][j][m - 1] = hz[k][j][m - 1] - 0.5 * (-y[m - 1] - (xj[m - 1] - x[m - 1]));
      }
  }
  energy[0] = sum;
}
