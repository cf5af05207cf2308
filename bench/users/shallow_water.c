#include "users.h"

STAGE double cu[n][m], cv[n][m], z[n][m], h[n][m];

typedef const double (*field)[m];
typedef double (*result)[m];

static inline void flows(field p, field u, field v, double dx, double dy, int j, int i, int up, int left, int down, int right) {
  cu[j][i] = 0.5 * (p[j][i] + p[up][i]) * u[j][i];
  cv[j][i] = 0.5 * (p[j][i] + p[j][left]) * v[j][i];
  z[j][i] = (4 / dx * (v[j][i] - v[up][i]) - 4 / dy * (u[j][i] - u[j][left])) / (p[up][left] + p[j][left] + p[j][i] + p[up][i]);
  h[j][i] = p[j][i] + 0.25 * (u[down][i] * u[down][i] + u[j][i] * u[j][i] + v[j][right] * v[j][right] + v[j][i] * v[j][i]);
}

static inline void next(field p, field u, field v, field p_old, field u_old, field v_old, double dx, double dy, double step,
                        double alpha, result p_next, result u_next, result v_next, result p_now, result u_now, result v_now,
                        int j, int i, int up, int left, int down, int right) {
  const double u2 = u_old[j][i] + step / 8 * (z[j][right] + z[j][i]) * (cv[j][right] + cv[up][right] + cv[up][i] + cv[j][i]) -
                    step / dx * (h[j][i] - h[up][i]);
  const double v2 = v_old[j][i] - step / 8 * (z[down][i] + z[j][i]) * (cu[down][i] + cu[j][i] + cu[j][left] + cu[down][left]) -
                    step / dy * (h[j][i] - h[j][left]);
  const double p2 = p_old[j][i] - step / dx * (cu[down][i] - cu[j][i]) - step / dy * (cv[j][right] - cv[j][i]);
  p_next[j][i] = p2, u_next[j][i] = u2, v_next[j][i] = v2;
  p_now[j][i] = p[j][i] + alpha * (p2 - 2 * p[j][i] + p_old[j][i]);
  u_now[j][i] = u[j][i] + alpha * (u2 - 2 * u[j][i] + u_old[j][i]);
  v_now[j][i] = v[j][i] + alpha * (v2 - 2 * v[j][i] + v_old[j][i]);
}

void plain(field p, field u, field v, field p_old, field u_old, field v_old, double dx, double dy, double step, double alpha,
           result p_next, result u_next, result v_next, result p_now, result u_now, result v_now) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const int up = j > 0 ? j - 1 : n - 1, down = j < n - 1 ? j + 1 : 0;
      flows(p, u, v, dx, dy, j, 0, up, m - 1, down, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) flows(p, u, v, dx, dy, j, i, up, i - 1, down, i + 1);
      flows(p, u, v, dx, dy, j, m - 1, up, m - 2, down, 0);
    }
#define NEXT(i, left, right)                                                                                                     \
  next(p, u, v, p_old, u_old, v_old, dx, dy, step, alpha, p_next, u_next, v_next, p_now, u_now, v_now, j, i, up, left, down, right)
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j) {
      const int up = j > 0 ? j - 1 : n - 1, down = j < n - 1 ? j + 1 : 0;
      NEXT(0, m - 1, 1);
#pragma omp simd
      for (int i = 1; i < m - 1; ++i) NEXT(i, i - 1, i + 1);
      NEXT(m - 1, m - 2, 0);
    }
  }
}
