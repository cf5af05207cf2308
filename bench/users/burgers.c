#include "users.h"

STAGE double flux[n + 1], u1[n], u2[n];

static inline double square(double x) { return x * x; }
static inline double blended(double a, double b, double c, double d, double e) {
  const double s0 = 13 / 12.0 * square(a - 2 * b + c) + 0.25 * square(a - 4 * b + 3 * c);
  const double s1 = 13 / 12.0 * square(b - 2 * c + d) + 0.25 * square(b - d);
  const double s2 = 13 / 12.0 * square(c - 2 * d + e) + 0.25 * square(3 * c - 4 * d + e);
  const double w0 = 0.1 / square(0.000001 + s0), w1 = 0.6 / square(0.000001 + s1), w2 = 0.3 / square(0.000001 + s2);
  return (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
}
static inline double positive(double u) { return 0.5 * (0.5 * u * u + u); }
static inline double negative(double u) { return 0.5 * (0.5 * u * u - u); }

/* Through the face before u[0]. */
static inline double through(double a, double b, double c, double d, double e, double f) {
  return blended(positive(a), positive(b), positive(c), positive(d), positive(e)) +
         blended(negative(f), negative(e), negative(d), negative(c), negative(b));
}

static void stage(const double u[n], double a, const double v[n], double b, double step, double out[restrict n]) {
#pragma omp parallel
  {
#pragma omp for simd schedule(static)
    for (int i = 3; i < n - 2; ++i) flux[i] = through(v[i - 3], v[i - 2], v[i - 1], v[i], v[i + 1], v[i + 2]);
#pragma omp single
    for (int k = 0; k < 6; ++k) {
      const int i = k < 3 ? k : n - 5 + k;
#define AT(j) v[(j) < 0 ? (j) + n : (j) >= n ? (j)-n : (j)]
      flux[i] = through(AT(i - 3), AT(i - 2), AT(i - 1), AT(i), AT(i + 1), AT(i + 2));
    }
#pragma omp for simd schedule(static)
    for (int i = 0; i < n; ++i) out[i] = a * u[i] + b * (v[i] + step * (flux[i] - flux[i + 1]));
  }
}

void plain(const double u[n], double step, double after[n]) {
  stage(u, 0, u, 1, step, u1);
  stage(u, 0.75, u1, 0.25, step, u2);
  stage(u, 1 / 3.0, u2, 2 / 3.0, step, after);
}
