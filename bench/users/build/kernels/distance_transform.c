/* Written by liftgen, which may write it again. */
/* distance_transform
 *
 * Expression:
 *   let xs = image |> map2(\x. select(x == 0, 0, 100000))
 *   in let ys = xs |> map(\ys. ys |> scan(\acc x. min(x, acc + 1), 100000) |> scan_back(\acc x.
 *       min(x, acc + 1), 100000))
 *   in let zs = ys |> transpose
 *   |> map(\zs. zs |> scan(\acc x. min(x, acc + 1), 100000) |> scan_back(\acc x. min(x, acc + 1),
 *       100000))
 *   |> transpose
 *   in {zs, zs |> join |> reduce(\acc x. max(acc, x), 0)}
 *
 * Derivation, to be replayed by `liftgen emit distance_transform.lift --derivation FILE`:
 *   map-nest at 0
 *   interchange at 0
 *   split-join 16 at 0.0
 *   interchange at 0.0.0.0.0
 *   map-par at 0.0.0
 *   map-seq at 0.0.0.0.0.0
 *   map-vec 16 at 0.0.0.0.0.0.0.0
 *   split-join 4 at 1.0.0
 *   map-of-scan at 1.0.0.0.0.0
 *   map-of-scan at 1.0.0.0.0.0.0.2.0
 *   transpose-of-transpose at 1.0.0.0.0.0.0.2
 *   map-par at 1.0.0.0
 *   scan-seq at 1.0.0.0.0.0.0
 *   scan-seq at 1.0.0.0.0.0.0.2
 *   map-unroll 4 at 1.0.0.0.0.0.0.2.0.0
 *   map-unroll 4 at 1.0.0.0.0.0.0.0.0
 *   split-join 16 at 1.0.1.0.0.0
 *   map-of-scan at 1.0.1.0.0.0.0.0.0
 *   map-of-scan at 1.0.1.0.0.0.0.0.0.0.2.0
 *   transpose-of-transpose at 1.0.1.0.0.0.0.0.0.0.2
 *   map-par at 1.0.1.0.0.0.0
 *   scan-seq at 1.0.1.0.0.0.0.0.0.0
 *   scan-seq at 1.0.1.0.0.0.0.0.0.0.2
 *   map-vec 16 at 1.0.1.0.0.0.0.0.0.0.2.0.0
 *   map-vec 16 at 1.0.1.0.0.0.0.0.0.0.0.0
 *   reduce-of-join at 1.0.1.0.1.0.1
 *   reduce-rest 1984 at 1.0.1.0.1.0.1.2.0.0
 *   reduce-seq at 1.0.1.0.1.0.1.2.0.0
 *   reduce-lanes 32 at 1.0.1.0.1.0.1.2.0.0.1
 *   map-vec 32 at 1.0.1.0.1.0.1.2.0.0.1.2.0.0
 *   reduce-seq at 1.0.1.0.1.0.1.2.0.0.1
 *   reduce-seq at 1.0.1.0.1.0.1
 *   map-par at 1.0.1.0.1.0.1.2
 *   to-global at 1.0.1.0.1.0.1.2
 *   join-loops 2 at body
 *
 * That is:
 *   - a map over several dimensions becomes a loop around a map over one dimension less
 *   - two nested loops change places
 *   - a loop is split into chunks of 16
 *   - two nested loops change places
 *   - the iterations are shared among the threads
 *   - an ordinary loop
 *   - the innermost loop computes vectors of 16 lanes
 *   - a loop is split into chunks of 4
 *   - the loop over columns goes inside the scan: one scan over rows with an element of each column
 *   - the loop over columns goes inside the scan: one scan over rows with an element of each column
 *   - by transpose-of-transpose: transpose . transpose = id; transpose p . transpose q = transpose
 *       (q . p)
 *   - the iterations are shared among the threads
 *   - the scan is a loop that keeps the last element in variables
 *   - the scan is a loop that keeps the last element in variables
 *   - a loop unrolled by 4
 *   - a loop unrolled by 4
 *   - a loop is split into chunks of 16
 *   - the loop over columns goes inside the scan: one scan over rows with an element of each column
 *   - the loop over columns goes inside the scan: one scan over rows with an element of each column
 *   - by transpose-of-transpose: transpose . transpose = id; transpose p . transpose q = transpose
 *       (q . p)
 *   - the iterations are shared among the threads
 *   - the scan is a loop that keeps the last element in variables
 *   - the scan is a loop that keeps the last element in variables
 *   - the innermost loop computes vectors of 16 lanes
 *   - the innermost loop computes vectors of 16 lanes
 *   - a reduction over joined arrays is made in two levels, over each and over their results
 *   - the first 1984 elements are reduced by themselves
 *   - the reduction is a loop
 *   - the reduction has 32 accumulators side by side, one a lane
 *   - the innermost loop computes vectors of 32 lanes
 *   - the reduction is a loop
 *   - the reduction is a loop
 *   - the iterations are shared among the threads
 *   - the value is stored in global memory
 *   - stages that meet row by row share one loop over rows, with 2 also those over elements
 *
 * cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c distance_transform.c */

#include <stdint.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif
/* Memory that each thread has to itself, so many bytes of it; NULL where there is not enough. */
static inline char *new_scratch(long bytes) {
  long threads = 1;
#ifdef _OPENMP
  threads = omp_get_max_threads();
#endif
  return (char *)malloc((size_t)bytes * (size_t)threads + 63);
}
/* That of this thread. */
static inline char *own_scratch(char *scratch, long bytes) {
  long thread = 0;
#ifdef _OPENMP
  thread = omp_get_thread_num();
#endif
  return scratch + (64 - (uintptr_t)scratch % 64) % 64 + bytes * thread;
}
static inline void free_scratch(char *scratch) { free(scratch); }
#pragma GCC diagnostic ignored "-Wpsabi"  /* vectors wider than the machine's are passed to inline functions only */
typedef int mask16 __attribute__((vector_size(64)));  /* -1: on, 0: off */
typedef int i32x16 __attribute__((vector_size(64)));
typedef int i32x16_any __attribute__((vector_size(64), aligned(4), may_alias));
#define load_i32x16(p) ((i32x16)*(const i32x16_any *)(p))
#define store_i32x16(p, x) (*(i32x16_any *)(p) = (x))
#define splat_i32x16(x) ((i32x16){0} + (int)(x))
#define select_i32x16(m, a, b) ((i32x16)(((m) & (mask16)(a)) | (~(m) & (mask16)(b))))
static inline int min_i32(int a, int b) { return b < a ? b : a; }
static inline i32x16 min_i32x16(i32x16 a, i32x16 b) { __typeof__(a < b) m = b < a; return (i32x16)((m & (__typeof__(m))b) | (~m & (__typeof__(m))a)); }
static inline int max_i32(int a, int b) { return a < b ? b : a; }
static inline i32x16 max_i32x16(i32x16 a, i32x16 b) { __typeof__(a < b) m = a < b; return (i32x16)((m & (__typeof__(m))b) | (~m & (__typeof__(m))a)); }

#ifdef __cplusplus
#define restrict __restrict__
extern "C"
#endif
int distance_transform(const int *restrict image, int *restrict distance, int *restrict farthest,
    int *restrict work1, int *restrict work2) {
  const long scratch_bytes = 96064;  /* of each thread */
  char *const scratch = new_scratch(scratch_bytes);
  if (!scratch) return 1;
#ifdef _OPENMP
  #pragma omp parallel for schedule(static)
#endif
  for (long it = 0; it < 125; ++it) {
    const long row = 16*it;
    for (long j = 0; j < 1500; ++j) {
      store_i32x16(&work1[2000*j + row],
          select_i32x16((mask16)(load_i32x16(&image[2000*j + row]) == 0), splat_i32x16(0),
          splat_i32x16(100000)));
    }
  }
#ifdef _OPENMP
  #pragma omp parallel for schedule(static)
#endif
  for (long jt = 0; jt < 375; ++jt) {
    char *const own = own_scratch(scratch, scratch_bytes);
    int *const restrict work3 = (int *)own;
    const long row = 8000*jt + 2000;
    work3[0] = min_i32(work1[row - 2000], 100001);
    work3[1] = min_i32(work1[row], 100001);
    work3[2] = min_i32(work1[row + 2000], 100001);
    work3[3] = min_i32(work1[row + 4000], 100001);
    for (long k = 1; k < 2000; ++k) {
      work3[4*k] = min_i32(work1[row + k - 2000], work3[4*k - 4] + 1);
      work3[4*k + 1] = min_i32(work1[row + k], work3[4*k - 3] + 1);
      work3[4*k + 2] = min_i32(work1[row + k + 2000], work3[4*k - 2] + 1);
      work3[4*k + 3] = min_i32(work1[row + k + 4000], work3[4*k - 1] + 1);
    }
    work2[row - 1] = min_i32(work3[7996], 100001);
    work2[row + 1999] = min_i32(work3[7997], 100001);
    work2[row + 3999] = min_i32(work3[7998], 100001);
    work2[row + 5999] = min_i32(work3[7999], 100001);
    for (long k = 1; k < 2000; ++k) {
      work2[row - k - 1] = min_i32(work3[-4*k + 7996], work2[row - k] + 1);
      work2[row - k + 1999] = min_i32(work3[-4*k + 7997], work2[row - k + 2000] + 1);
      work2[row - k + 3999] = min_i32(work3[-4*k + 7998], work2[row - k + 4000] + 1);
      work2[row - k + 5999] = min_i32(work3[-4*k + 7999], work2[row - k + 6000] + 1);
    }
  }
  int work5[1500] __attribute__((aligned(64)));
#ifdef _OPENMP
  #pragma omp parallel for schedule(static)
#endif
  for (long it = 0; it < 125; ++it) {
    char *const own = own_scratch(scratch, scratch_bytes);
    int *const restrict work4 = (int *)own;
    const long row = 16*it;
    store_i32x16(&work4[0], min_i32x16(load_i32x16(&work2[row]), splat_i32x16(100001)));
    for (long k = 1; k < 1500; ++k) {
      store_i32x16(&work4[16*k], min_i32x16(load_i32x16(&work2[2000*k + row]), load_i32x16(&work4[16*k - 16])
          + 1));
    }
    store_i32x16(&distance[row + 2998000], min_i32x16(load_i32x16(&work4[23984]), splat_i32x16(100001)));
    for (long k = 1; k < 1500; ++k) {
      store_i32x16(&distance[row - 2000*k + 2998000],
          min_i32x16(load_i32x16(&work4[-16*k + 23984]), load_i32x16(&distance[row - 2000*k + 3000000]) + 1));
    }
  }
#ifdef _OPENMP
  #pragma omp parallel for schedule(static)
#endif
  for (long i = 0; i < 1500; ++i) {
    const long row = 2000*i;
    int acc6[32] __attribute__((aligned(64)));
    for (long i_2 = 0; i_2 < 32; ++i_2) {
      acc6[i_2] = 0;
    }
    for (long r = 0; r < 62; ++r) {
      store_i32x16(&acc6[0], max_i32x16(load_i32x16(&acc6[0]), load_i32x16(&distance[32*r + row])));
      store_i32x16(&acc6[16], max_i32x16(load_i32x16(&acc6[16]), load_i32x16(&distance[32*r + row + 16])));
    }
    int acc7 = 0;
    for (long r = 0; r < 32; ++r) {
      acc7 = max_i32(acc7, acc6[r]);
    }
    int acc8 = acc7;
    for (long r = 0; r < 16; ++r) {
      acc8 = max_i32(acc8, distance[row + r + 1984]);
    }
    work5[i] = acc8;
  }
  int acc9 = 0;
  for (long r = 0; r < 1500; ++r) {
    acc9 = max_i32(acc9, work5[r]);
  }
  farthest[0] = acc9;
  free_scratch(scratch);
  return 0;
}
