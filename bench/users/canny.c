#include "users.h"

STAGE int smooth[n][m];
STAGE float gy[n][m], gx[n][m], g[n + 2][m + 2], thin[n + 2][m + 2];

static inline int within(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }
static inline float larger(float a, float b) { return a > b ? a : b; }

void plain(const unsigned char image[n][m], float low, float high, unsigned char edges[restrict n][m]) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const unsigned char *r[5];
      for (int k = 0; k < 5; ++k) r[k] = image[within(j + k - 2, n)];
      int sums[m + 4];
#pragma omp simd
      for (int i = 0; i < m; ++i) sums[i + 2] = r[0][i] + 4 * r[1][i] + 6 * r[2][i] + 4 * r[3][i] + r[4][i];
      sums[0] = sums[1] = sums[2], sums[m + 2] = sums[m + 3] = sums[m + 1];
#pragma omp simd
      for (int i = 0; i < m; ++i)
        smooth[j][i] = (int)((unsigned)(sums[i] + 4 * sums[i + 1] + 6 * sums[i + 2] + 4 * sums[i + 3] + sums[i + 4]) / 256);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const int *up = smooth[within(j - 1, n)], *here = smooth[j], *down = smooth[within(j + 1, n)];
#define GRADIENT(i, l, r)                                                        \
  do {                                                                           \
    const int y = down[l] + 2 * down[i] + down[r] - up[l] - 2 * up[i] - up[r];   \
    const int x = up[r] + 2 * here[r] + down[r] - up[l] - 2 * here[l] - down[l]; \
    gy[j][i] = (float)y, gx[j][i] = (float)x;                                    \
    g[j + 1][i + 1] = sqrtf((float)(y * y + x * x));                             \
  } while (0)
      GRADIENT(0, 0, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) GRADIENT(i, i - 1, i + 1);
      GRADIENT(m - 1, m - 2, m - 1);
      g[j + 1][0] = g[j + 1][1], g[j + 1][m + 1] = g[j + 1][m];
      if (j == 0) memcpy(g[0], g[1], sizeof g[0]);
      if (j == n - 1) memcpy(g[n + 1], g[n], sizeof g[0]);
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const float y = gy[j][i], x = gx[j][i], here = g[j + 1][i + 1];
        const int flat = fabsf(y) < 0.41421356f * fabsf(x), steep = fabsf(x) < 0.41421356f * fabsf(y), rising = y * x > 0;
        const float before = flat ? g[j + 1][i] : steep ? g[j][i + 1] : rising ? g[j][i] : g[j][i + 2];
        const float after = flat ? g[j + 1][i + 2] : steep ? g[j + 2][i + 1] : rising ? g[j + 2][i + 2] : g[j + 2][i];
        thin[j + 1][i + 1] = here >= before && here >= after ? here : 0;
      }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const float *a = thin[j], *b = thin[j + 1], *c = thin[j + 2];
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const float most = larger(larger(larger(a[i], a[i + 1]), larger(a[i + 2], b[i])),
                                  larger(larger(b[i + 2], c[i]), larger(c[i + 1], c[i + 2])));
        edges[j][i] = (b[i + 1] > high + 60) | ((b[i + 1] > low) & (most > high + 60)) ? 255 : 0;
      }
    }
  }
}
