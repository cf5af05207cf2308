/* neighbours_late_f64
 *
 * cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c neighbours_late_f64.c */

static inline long index_min(long a, long b) { return a < b ? a : b; }
typedef double f64x4 __attribute__((vector_size(32)));
typedef double f64x4_any __attribute__((vector_size(32), aligned(8), may_alias));
#define load_f64x4(p) ((f64x4)*(const f64x4_any *)(p))
#define store_f64x4(p, x) (*(f64x4_any *)(p) = (x))

#ifdef __cplusplus
#define restrict __restrict__
extern "C"
#endif
void neighbours_late_f64(const double *restrict x, double *restrict out) {
  f64x4 late = (load_f64x4(&x[0]) + load_f64x4(&x[1]) + load_f64x4(&x[2])) / 3.0;
  for (long i = 4; i < 32; i += 4) {
    __builtin_prefetch(&x[index_min(18, i) + 18]);
    const f64x4 next = (load_f64x4(&x[i]) + load_f64x4(&x[i + 1]) + load_f64x4(&x[i + 2])) / 3.0;
    store_f64x4(&out[i - 4], late);
    late = next;
  }
  store_f64x4(&out[28], late);
  for (long i = 32; i < 35; ++i) {
    out[i] = (x[i] + x[i + 1] + x[i + 2]) / 3.0;
  }
}
