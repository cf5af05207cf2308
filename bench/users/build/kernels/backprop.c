/* Written by liftgen, which may write it again. */
/* backprop
 *
 * Expression:
 *   let xs = w |> transpose
 *   |> map(\xs. 1.0f / (1.0f + exp(-(0.001f * (zip(x, xs) |> map(\(x, xs). x * xs) |> reduce(\acc
 *       y. acc + y, 0.0f))))))
 *   in let y = 1.0f / (1.0f + exp(-(zip(xs, v) |> map(\(xs, v). xs * v) |> reduce(\acc y. acc + y,
 *       0.0f))))
 *   in let z = y * (1.0f - y) * (target - y)
 *   in let ys = zip(xs, v) |> map(\(xs, v). xs * (1.0f - xs) * z * v)
 *   in let zs = zip(x, before) |> map(\(x, before). zip(ys, before) |> map(\(ys, before'). 0.3f *
 *       ys * x + 0.3f * before'))
 *   in {zip2(w, zs) |> map2(\(w, zs). w + zs), zs, abs(z)}
 *
 * Derivation, to be replayed by `liftgen emit backprop.lift --derivation FILE`:
 *   let-part 1 1 0 0 1 at 0.0.0
 *   map-of-let at 0
 *   map-of-reduce at 0.0
 *   to-private at 0.0
 *   map-vec 16 at 0.0.0.1
 *   map-vec 16 at 0.0.0.0.0
 *   map-vec 16 at 0.1.0
 *   map-vec 16 at 1.0.1.0.1.0.0
 *   late-store at 1.0.1.0.1.0.0
 *   map-par at 1.0.1.0.1.0.1.0.0
 *   map-vec 16 at 1.0.1.0.1.0.1.0.0.0.0
 *   stream at 1.0.1.0.1.0.1.0.0
 *   map-nest at 1.0.1.0.1.0.1.0.1.0.0
 *   map-par at 1.0.1.0.1.0.1.0.1.0.0
 *   map-vec 16 at 1.0.1.0.1.0.1.0.1.0.0.0.0
 *   stream at 1.0.1.0.1.0.1.0.1.0.0
 *   join-loops 2 at body
 *
 * That is:
 *   - a part of what is computed is a stage of its own
 *   - a value with a name is computed for all elements, then used for all
 *   - the loop over columns goes inside the reduction: one reduction of rows with an accumulator
 *       for each column
 *   - the value is kept in registers
 *   - 4 times: the innermost loop computes vectors of 16 lanes
 *   - each vector is stored after the next one's loads
 *   - the iterations are shared among the threads
 *   - the innermost loop computes vectors of 16 lanes
 *   - stores bypass the cache
 *   - a map over several dimensions becomes a loop around a map over one dimension less
 *   - the iterations are shared among the threads
 *   - the innermost loop computes vectors of 16 lanes
 *   - stores bypass the cache
 *   - stages that meet row by row share one loop over rows, with 2 also those over elements
 *
 * cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c backprop.c */
#include <math.h>

#pragma GCC diagnostic ignored "-Wpsabi"  /* vectors wider than the machine's are passed to inline functions only */
typedef float f32x16 __attribute__((vector_size(64)));
typedef float f32x16_any __attribute__((vector_size(64), aligned(4), may_alias));
#define load_f32x16(p) ((f32x16)*(const f32x16_any *)(p))
#define store_f32x16(p, x) (*(f32x16_any *)(p) = (x))
#define splat_f32x16(x) ((f32x16){0} + (x))
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SCALAR_MATH)  /* define it for the same bits in and outside vectors */
#if __GLIBC_PREREQ(2, 35)
__attribute__((__simd__("notinbranch"))) float expf(float);
#endif
#endif
static inline f32x16 exp_f32x16(f32x16 a) { for (int l = 0; l < 16; ++l) a[l] = expf(a[l]); return a; }

#ifdef __cplusplus
#define restrict __restrict__
extern "C"
#endif
void backprop(const float *restrict x, const float *restrict w, const float *restrict before,
    const float *restrict v, float target, float *restrict w_next, float *restrict change,
    float *restrict error) {
  float tile1[16] __attribute__((aligned(64)));
  float acc2[16] __attribute__((aligned(64)));
  store_f32x16(&acc2[0], splat_f32x16(0.0f));
  for (long r = 0; r < 262144; ++r) {
    store_f32x16(&acc2[0], load_f32x16(&acc2[0]) + x[r] * load_f32x16(&w[16*r]));
  }
  store_f32x16(&tile1[0], 1.0f / (1.0f + exp_f32x16(-(0.001f * load_f32x16(&acc2[0])))));
  const float v3 = 1.0f / (1.0f + expf(-(0.0f + tile1[0] * v[0] + tile1[1] * v[1] + tile1[2] * v[2]
      + tile1[3] * v[3] + tile1[4] * v[4] + tile1[5] * v[5] + tile1[6] * v[6] + tile1[7] * v[7]
      + tile1[8] * v[8] + tile1[9] * v[9] + tile1[10] * v[10] + tile1[11] * v[11] + tile1[12] * v[12]
      + tile1[13] * v[13] + tile1[14] * v[14] + tile1[15] * v[15])));
  const float v4 = v3 * (1.0f - v3) * (target - v3);
  float tile5[16] __attribute__((aligned(64)));
  const f32x16 tile1_1 = load_f32x16(&tile1[0]);
  f32x16 late = tile1_1 * (1.0f - tile1_1) * v4 * load_f32x16(&v[0]);
  store_f32x16(&tile5[0], late);
#ifdef _OPENMP
  #pragma omp parallel for schedule(static)
#endif
  for (long j = 0; j < 262144; ++j) {
    const f32x16 new_change = 0.3f * load_f32x16(&tile5[0]) * x[j] + 0.3f * load_f32x16(&before[16*j]);
    store_f32x16(&change[16*j], new_change);
    store_f32x16(&w_next[16*j], load_f32x16(&w[16*j]) + new_change);
  }
  error[0] = fabsf(v4);
}
