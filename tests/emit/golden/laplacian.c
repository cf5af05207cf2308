/* laplacian
 * 7-point Laplacian
 *
 * map-par twice
 *
 * cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c laplacian.c */

#ifdef __cplusplus
#define restrict __restrict__
extern "C"
#endif
void laplacian(double a, const double *restrict phi, double *restrict out) {
#ifdef _OPENMP
  #pragma omp parallel for collapse(2) schedule(static)
#endif
  for (long k = 0; k < 16; ++k) {
    for (long j = 0; j < 16; ++j) {
      const long row = 324*k + 18*j + 343;
      for (long i = 0; i < 16; ++i) {
        out[256*k + 16*j + i] = a * (phi[row + i - 324] + phi[row + i - 18] + phi[row + i - 1]
            + phi[row + i + 1] + phi[row + i + 18] + phi[row + i + 324] - 6.0 * phi[row + i]);
      }
    }
  }
}
