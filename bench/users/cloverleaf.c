#include "users.h"

STAGE double sound[n][m], viscosity[n][m];

static inline double larger(double a, double b) { return a > b ? a : b; }

void plain(const double density[n][m], const double energy[n][m], const double u[n + 1][m + 1], const double v[n + 1][m + 1], double dx,
           double dy, double dt[1], double pressure[restrict n][m], double next[restrict n][m]) {
  double least = INFINITY;
  const double l = dx < dy ? dx : dy;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const double d = density[j][i], e = energy[j][i], p = 0.4 * d * e, w = 1 / d;
        pressure[j][i] = p;
        sound[j][i] = sqrt(w * w * (p * (0.4 * d) + d * p));
      }
#pragma omp for schedule(static) reduction(min : least)
    for (int j = 0; j < n; ++j) {
      const double *up = pressure[j > 0 ? j - 1 : 0], *here = pressure[j], *down = pressure[j < n - 1 ? j + 1 : n - 1];
      double t = INFINITY;
#define CELL(i, i0, i1)                                                                                                             \
  do {                                                                                                                              \
    const double ux = u[j][i + 1] + u[j + 1][i + 1] - u[j][i] - u[j + 1][i], vy = v[j + 1][i] + v[j + 1][i + 1] - v[j][i] - v[j][i + 1]; \
    const double strain = 0.5 * (u[j + 1][i] + u[j + 1][i + 1] - u[j][i] - u[j][i + 1]) / dy +                                     \
                          0.5 * (v[j][i + 1] + v[j + 1][i + 1] - v[j][i] - v[j + 1][i]) / dx;                                       \
    const double px = (here[i1] - here[i0]) / (2 * dx), py = (down[i] - up[i]) / (2 * dy);                                          \
    const double limiter =                                                                                                          \
        (0.5 * ux / dx * px * px + 0.5 * vy / dy * py * py + strain * px * py) / larger(px * px + py * py, 0.0000000001);           \
    const double q = limiter > 0 || ux + vy >= 0 ? 0 : 2 * density[j][i] * (l * limiter) * (l * limiter);                           \
    viscosity[j][i] = q;                                                                                                            \
    const double cc = sqrt(sound[j][i] * sound[j][i] + 2 * q / density[j][i]);                                                      \
    const double fast = larger(fabs(u[j][i] + u[j + 1][i]), fabs(u[j][i + 1] + u[j + 1][i + 1])) +                                  \
                        larger(fabs(v[j][i] + v[j][i + 1]), fabs(v[j + 1][i] + v[j + 1][i + 1]));                                   \
    const double step = 0.7 * l / (cc + fast + 0.00001);                                                                            \
    t = step < t ? step : t;                                                                                                        \
  } while (0)
      CELL(0, 0, 1);
#pragma omp simd reduction(min : t)
      for (int i = 1; i < m - 1; ++i) CELL(i, i - 1, i + 1);
      CELL(m - 1, m - 2, m - 1);
      least = t < least ? t : least;
    }
#pragma omp for schedule(static)
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int i = 0; i < m; ++i) {
        const double flux = 0.25 * least * (dy * (u[j][i + 1] + u[j + 1][i + 1] - u[j][i] - u[j + 1][i]) +
                                            dx * (v[j + 1][i] + v[j + 1][i + 1] - v[j][i] - v[j][i + 1]));
        next[j][i] = energy[j][i] - (pressure[j][i] + viscosity[j][i]) / density[j][i] * flux / (dx * dy);
      }
  }
  dt[0] = least;
}
