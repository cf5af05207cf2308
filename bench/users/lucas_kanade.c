#include "users.h"

STAGE float rows[5][n][m];

void plain(const float first[n][m], const float second[n][m], float v[restrict n][m], float u[restrict n][m]) {
#pragma omp parallel
  {
    float p[5][m + 4];
    memset(p, 0, sizeof p);
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const float *up = first[j > 0 ? j - 1 : 1], *here = first[j], *down = first[j < n - 1 ? j + 1 : n - 2];
#define CELL(i, l, r)                                                                                                \
  do {                                                                                                               \
    const float y = 0.5f * (down[i] - up[i]), x = 0.5f * (here[r] - here[l]), t = second[j][i] - here[i];            \
    p[0][i + 2] = y * y, p[1][i + 2] = y * x, p[2][i + 2] = x * x, p[3][i + 2] = y * t, p[4][i + 2] = x * t;         \
  } while (0)
      CELL(0, 1, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
      CELL(m - 1, m - 2, m - 2);
      for (int k = 0; k < 5; ++k)
#pragma omp simd
        for (int i = 0; i < m; ++i) rows[k][j][i] = p[k][i] + p[k][i + 1] + p[k][i + 2] + p[k][i + 3] + p[k][i + 4];
    }
    static const float zeros[m];
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      float s[5][m];
      for (int k = 0; k < 5; ++k) {
        const float *r[5];
        for (int l = 0; l < 5; ++l) r[l] = j + l - 2 < 0 || j + l - 2 >= n ? zeros : rows[k][j + l - 2];
#pragma omp simd
        for (int i = 0; i < m; ++i) s[k][i] = r[0][i] + r[1][i] + r[2][i] + r[3][i] + r[4][i];
      }
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const float yy = s[0][i] + 0.1f, yx = s[1][i], xx = s[2][i] + 0.1f, yt = s[3][i], xt = s[4][i];
        const float by = 1 / (yy * xx - yx * yx);
        v[j][i] = (yx * xt - xx * yt) * by, u[j][i] = (yx * yt - yy * xt) * by;
      }
    }
  }
}
