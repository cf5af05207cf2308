#include "users.h"

STAGE float ey[n][m], ex[n][m], et[n][m], v1[n][m], u1[n][m];

static void sweep(const float v[n][m], const float u[n][m], float alpha, float v2[restrict n][m], float u2[restrict n][m]) {
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const int up = j > 0 ? j - 1 : 0, down = j < n - 1 ? j + 1 : n - 1;
#define MEAN(x, i, l, r) \
  ((x[up][i] + x[j][l] + x[j][r] + x[down][i]) / 6 + (x[up][l] + x[up][r] + x[down][l] + x[down][r]) / 12)
#define CELL(i, l, r)                                                                                                \
  do {                                                                                                               \
    const float a = MEAN(v, i, l, r), b = MEAN(u, i, l, r), y = ey[j][i], x = ex[j][i];                              \
    const float s = (y * a + x * b + et[j][i]) / (alpha * alpha + y * y + x * x);                                    \
    v2[j][i] = a - y * s, u2[j][i] = b - x * s;                                                                      \
  } while (0)
    CELL(0, 0, 1);
#pragma omp simd
    for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
    CELL(m - 1, m - 2, m - 1);
  }
}

void plain(const float first[n][m], const float second[n][m], float alpha, float v[n][m], float u[n][m]) {
  /* The first iteration begins with no flow. */
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    const float *a0 = first[j], *a1 = first[j < n - 1 ? j + 1 : j], *b0 = second[j], *b1 = second[j < n - 1 ? j + 1 : j];
#define FIRST(i, r)                                                                                         \
  do {                                                                                                      \
    const float y = 0.25f * (a1[i] + a1[r] + b1[i] + b1[r] - a0[i] - a0[r] - b0[i] - b0[r]);                \
    const float x = 0.25f * (a0[r] + a1[r] + b0[r] + b1[r] - a0[i] - a1[i] - b0[i] - b1[i]);                \
    const float t = 0.25f * (b0[i] + b0[r] + b1[i] + b1[r] - a0[i] - a0[r] - a1[i] - a1[r]);                \
    const float s = t / (alpha * alpha + y * y + x * x);                                                    \
    ey[j][i] = y, ex[j][i] = x, et[j][i] = t, v1[j][i] = -y * s, u1[j][i] = -x * s;                         \
  } while (0)
#pragma omp simd
    for (int i = 0; i < m - 1; ++i) FIRST(i, i + 1);
    FIRST(m - 1, m - 1);
  }
  sweep((const float(*)[m])v1, (const float(*)[m])u1, alpha, v, u);
  sweep((const float(*)[m])v, (const float(*)[m])u, alpha, v1, u1);
  sweep((const float(*)[m])v1, (const float(*)[m])u1, alpha, v, u);
}
