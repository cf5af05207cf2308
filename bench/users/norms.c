#include "users.h"

void plain(const double u[restrict n + 2][n + 2][n + 2], const double c[restrict n][n][n], const double f[restrict n][n][n],
           double rest[restrict n][n][n], double largest[1], double sum[1], double squares[1]) {
  double most = 0, total = 0, square = 0;
#pragma omp parallel for schedule(static) reduction(max : most) reduction(+ : total, square)
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
#pragma omp simd reduction(max : most) reduction(+ : total, square)
      for (int i = 0; i < n; ++i) {
        const double laplacian = u[k][j + 1][i + 1] + u[k + 2][j + 1][i + 1] + u[k + 1][j][i + 1] + u[k + 1][j + 2][i + 1] +
                                 u[k + 1][j + 1][i] + u[k + 1][j + 1][i + 2] - 6 * u[k + 1][j + 1][i + 1];
        const double r = rest[k][j][i] = f[k][j][i] - c[k][j][i] * laplacian, size = fabs(r);
        most = size > most ? size : most, total += size, square += r * r;
      }
  largest[0] = most, sum[0] = total, squares[0] = square;
}
