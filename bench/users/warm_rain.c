#include "users.h"

static inline double saturated(double t) { return 0.0038 * exp(17.27 * (t - 273.15) / (t - 35.86)); }
static inline void newton(double *t, double *q) {
  const double s = saturated(*t), slope = 4097.9 * s / ((*t - 35.86) * (*t - 35.86)), d = (*q - s) / (1 + 2490 * slope);
  *t += 2490 * d, *q -= d;
}

void plain(const double t[levels][points], const double vapour[levels][points], const double cloud[levels][points],
           const double rain[levels][points], double dt, double t2[restrict levels][points], double vapour2[restrict levels][points],
           double cloud2[restrict levels][points], double rain2[restrict levels][points], double ground[restrict points]) {
#pragma omp parallel for schedule(static)
  for (int block = 0; block < points; block += 128) {
    const int end = block + 128 < points ? block + 128 : points;
    double flux[128] = {0};
    for (int k = 0; k < levels; ++k)
#pragma omp simd
      for (int i = block; i < end; ++i) {
        double warm = t[k][i], q = vapour[k][i];
        newton(&warm, &q), newton(&warm, &q);
        const double over = vapour[k][i] - q, condensed = over < -cloud[k][i] ? -cloud[k][i] : over;
        const double c = cloud[k][i] + condensed, more = c - 0.001 > 0 ? c - 0.001 : 0;
        const double formed = dt * (0.1 * more + 2.2 * c * rain[k][i]);
        t2[k][i] = t[k][i] + 2490 * condensed, vapour2[k][i] = vapour[k][i] - condensed, cloud2[k][i] = c - formed;
        const double r = rain2[k][i] = (rain[k][i] + formed + dt * flux[i - block]) / (1 + 0.4 * dt);
        flux[i - block] = 0.4 * r;
      }
    for (int i = block; i < end; ++i) ground[i] = dt * flux[i - block];
  }
}
