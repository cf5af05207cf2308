#include "users.h"

enum { rows = n + 14, columns = m + 14 };
STAGE double sums[rows + 1][columns + 1], squares[rows + 1][columns + 1];

static inline int within(int i, int size) { return i < 0 ? -i : i < size ? i : 2 * size - 2 - i; }

void plain(const double page[n][m], double k, double ink[restrict n][m]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < rows; ++j) {
      const double *row = page[within(j - 7, n)];
      double s = 0, q = 0;
      for (int i = 0; i < columns; ++i) {
        const double x = row[within(i - 7, m)];
        sums[j + 1][i + 1] = s += x, squares[j + 1][i + 1] = q += x * x;
      }
    }
#pragma omp for schedule(static)
    for (int block = 1; block <= columns; block += 64) {
      const int end = block + 64 < columns + 1 ? block + 64 : columns + 1;
      for (int j = 2; j <= rows; ++j)
#pragma omp simd
        for (int i = block; i < end; ++i) sums[j][i] += sums[j - 1][i], squares[j][i] += squares[j - 1][i];
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const double mean = (sums[j + 15][i + 15] - sums[j][i + 15] - sums[j + 15][i] + sums[j][i]) / 225;
        const double square = (squares[j + 15][i + 15] - squares[j][i + 15] - squares[j + 15][i] + squares[j][i]) / 225;
        const double variance = square - mean * mean, deviation = sqrt(variance > 0 ? variance : 0);
        ink[j][i] = page[j][i] - mean * (1 + k * (deviation / 0.5 - 1));
      }
  }
}
