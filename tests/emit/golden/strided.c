/* strided_f32
 *
 * cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c strided_f32.c */

#ifdef __cplusplus
#define restrict __restrict__
extern "C"
#endif
void strided_f32(float *restrict phi) {
  for (long ii = 0; ii < 19; ++ii) {
    phi[2*ii + 1] = 0.5f * (phi[2*ii] + phi[2*ii + 2]);
  }
}
