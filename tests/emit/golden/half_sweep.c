/* half_sweep
 * built by hand
 *
 * cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c half_sweep.c */

typedef long long mask4 __attribute__((vector_size(32)));  /* -1: on, 0: off */
typedef double f64x4 __attribute__((vector_size(32)));
typedef double f64x4_any __attribute__((vector_size(32), aligned(8), may_alias));
#define load_f64x4(p) ((f64x4)*(const f64x4_any *)(p))
#define store_f64x4(p, x) (*(f64x4_any *)(p) = (x))
#define select_f64x4(m, a, b) ((f64x4)(((m) & (mask4)(a)) | (~(m) & (mask4)(b))))

#ifdef __cplusplus
#define restrict __restrict__
extern "C"
#endif
void half_sweep(int color, double *restrict phi) {
#ifdef _OPENMP
  #pragma omp parallel for schedule(static)
#endif
  for (long j = 0; j < 5; ++j) {
    const long row = 48*j;
    const mask4 on = ((mask4){-(((color + j) & 1) == 0), -(((color + j) & 1) == 1),
        -(((color + j) & 1) == 0), -(((color + j) & 1) == 1)});
    f64x4 late = select_f64x4(on, 0.5 * load_f64x4(&phi[row]), load_f64x4(&phi[row]));
    for (long i = 4; i < 48; i += 4) {
      const f64x4 next = select_f64x4(on, 0.5 * load_f64x4(&phi[row + i]), load_f64x4(&phi[row + i]));
      store_f64x4(&phi[row + i - 4], late);
      late = next;
      __builtin_prefetch(&phi[row + i + 64]);
    }
    store_f64x4(&phi[row + 44], late);
  }
}
