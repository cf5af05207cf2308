#include "users.h"

/* Of rows that both sides of are known; the coefficients of elimination are the same for all. */
static void relaxed(const double (*below)[m], const double (*above)[m], const double f[restrict n][m], double strength,
                    const double c[m], const double by[m], double out[restrict n][m], int shift) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    static const double zeros[m];
    const double *b = j + shift - 1 < 0 ? zeros : below[j + shift - 1], *a = j + shift < n ? above[j + shift] : zeros;
    double r[m];
#pragma omp simd
    for (int i = 0; i < m; ++i) r[i] = b[i] + a[i] - f[j][i];
    double d = 0;
    for (int i = 0; i < m; ++i) r[i] = d = (r[i] + strength * d) * by[i];
    double x = 0;
    for (int i = m - 1; i >= 0; --i) out[j][i] = x = r[i] + c[i] * x;
  }
}

void plain(const double odd[n][m], const double f_even[n][m], const double f_odd[n][m], double strength, double even_next[n][m],
           double odd_next[n][m]) {
  double c[m], by[m];
  for (int i = 0; i < m; ++i) by[i] = 1 / (2 + 2 * strength - strength * (i > 0 ? c[i - 1] : 0)), c[i] = strength * by[i];
  relaxed(odd, odd, f_even, strength, c, by, even_next, 0);
  relaxed((const double(*)[m])even_next, (const double(*)[m])even_next, f_odd, strength, c, by, odd_next, 1);
}
