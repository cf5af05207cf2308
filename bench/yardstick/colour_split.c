#include "colour_split.h"

/* ---- vectors: LANES doubles, and stores of some of the lanes */

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES 8
#define VECTORS "AVX-512"
typedef __m512d vector;
static inline vector load(const double *p) { return _mm512_loadu_pd(p); }
static inline vector splat(double x) { return _mm512_set1_pd(x); }
static inline vector sub(vector x, vector y) { return _mm512_sub_pd(x, y); }
static inline vector mul(vector x, vector y) { return _mm512_mul_pd(x, y); }
static inline vector add_product(vector sum, vector x, vector y) { return _mm512_fmadd_pd(x, y, sum); }
static inline vector sub_product(vector sum, vector x, vector y) { return _mm512_fnmadd_pd(x, y, sum); }
static inline void store(double *p, vector x) { _mm512_storeu_pd(p, x); }
static inline void store_lanes(double *p, unsigned lanes, vector x) { _mm512_mask_storeu_pd(p, (__mmask8)lanes, x); }
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define LANES 4
#define VECTORS "AVX2"
typedef __m256d vector;
static inline vector load(const double *p) { return _mm256_loadu_pd(p); }
static inline vector splat(double x) { return _mm256_set1_pd(x); }
static inline vector sub(vector x, vector y) { return _mm256_sub_pd(x, y); }
static inline vector mul(vector x, vector y) { return _mm256_mul_pd(x, y); }
static inline vector add_product(vector sum, vector x, vector y) { return _mm256_fmadd_pd(x, y, sum); }
static inline vector sub_product(vector sum, vector x, vector y) { return _mm256_fnmadd_pd(x, y, sum); }
static inline void store(double *p, vector x) { _mm256_storeu_pd(p, x); }
/* A blend and a whole store, which processors without AVX-512 do much faster than a masked one. What is written back
 * unchanged beyond the row belongs to the same thread, or to a ghost cell. */
static inline void store_lanes(double *p, unsigned lanes, vector x) {
  const __m256i bits = _mm256_set_epi64x(8, 4, 2, 1), here = _mm256_and_si256(_mm256_set1_epi64x(lanes), bits);
  store(p, _mm256_blendv_pd(load(p), x, _mm256_castsi256_pd(_mm256_cmpeq_epi64(here, bits))));
}
#else
#define LANES 1
#define VECTORS "scalar"
typedef double vector;
static inline vector load(const double *p) { return *p; }
static inline vector splat(double x) { return x; }
static inline vector sub(vector x, vector y) { return x - y; }
static inline vector mul(vector x, vector y) { return x * y; }
static inline vector add_product(vector sum, vector x, vector y) { return sum + x * y; }
static inline vector sub_product(vector sum, vector x, vector y) { return sum - x * y; }
static inline void store(double *p, vector x) { *p = x; }
static inline void store_lanes(double *p, unsigned lanes, vector x) { if (lanes) *p = x; }
#endif

const char *yardstick_vectors(void) { return VECTORS; }

/* ---- where cells lie; k, j, i from 0 to side - 1 */

static size_t position(const yardstick_grid *g, size_t box, int k, int j, int i) {
  const size_t row = box * g->box + (size_t)k * g->plane + (size_t)j * (size_t)g->pitch;
  return g->split ? row + (size_t)((i + j + k) & 1) * g->half + (size_t)(i / 2) : row + (size_t)i;
}

size_t yardstick_make_grid(yardstick_grid *g, int n, int boxes, int split) {
  const int side = n + 2;
  g->n = n, g->boxes = boxes, g->side = side, g->split = split;
  g->pitch = ((split ? (side + 1) / 2 : side) + 8) / 8 * 8;
  if (split && g->pitch % 16 == 0) g->pitch += 8;
  g->plane = (size_t)g->pitch * (size_t)side;
  g->half = split ? g->plane * (size_t)side + 64 : 0;
  g->box = split ? 2 * g->half : g->plane * (size_t)side;
  return g->box * (size_t)boxes;
}

#define FOR_EACH_CELL(g, body)                                                   \
  _Pragma("omp parallel for collapse(2) schedule(static)")                       \
  for (int box = 0; box < (g)->boxes; ++box)                                     \
    for (int k = 0; k < (g)->side; ++k)                                          \
      for (int j = 0; j < (g)->side; ++j)                                        \
        for (int i = 0; i < (g)->side; ++i) {                                    \
          const size_t here = position(g, (size_t)box, k, j, i);                 \
          const size_t side = (size_t)(g)->side;                                 \
          const size_t there = (((size_t)box * side + (size_t)k) * side + (size_t)j) * side + (size_t)i; \
          body;                                                                  \
        }

void yardstick_from_caller(const yardstick_grid *g, const double *caller, double *array) { FOR_EACH_CELL(g, array[here] = caller[there]) }
void yardstick_to_caller(const yardstick_grid *g, const double *array, double *caller) { FOR_EACH_CELL(g, caller[there] = array[here]) }

/* ---- the smoother */

/* One vector's operands: phi at the cell and around it, the faces, and what belongs to the cell. */
typedef struct {
  double *centre;
  const double *west, *east, *south, *north, *down, *up;
  const double *beta_west, *beta_east, *beta_south, *beta_north, *beta_down, *beta_up;
  const double *alpha, *lambda, *rhs;
} operands;

static inline vector updated(const operands *o, ptrdiff_t i, vector a, vector b_h2inv) {
  const vector c = load(o->centre + i);
  vector flux = mul(load(o->beta_east + i), sub(load(o->east + i), c));
  flux = sub_product(flux, load(o->beta_west + i), sub(c, load(o->west + i)));
  flux = add_product(flux, load(o->beta_north + i), sub(load(o->north + i), c));
  flux = sub_product(flux, load(o->beta_south + i), sub(c, load(o->south + i)));
  flux = add_product(flux, load(o->beta_up + i), sub(load(o->up + i), c));
  flux = sub_product(flux, load(o->beta_down + i), sub(c, load(o->down + i)));
  const vector l = sub_product(mul(mul(a, load(o->alpha + i)), c), b_h2inv, flux);
  return add_product(c, load(o->lambda + i), sub(load(o->rhs + i), l));
}

/* Cells first to last - 1 of a row; `lanes`: those that change in each vector. */
static inline void row(const operands *o, ptrdiff_t first, ptrdiff_t last, unsigned lanes, double a, double b_h2inv) {
  const vector va = splat(a), vb = splat(b_h2inv);
  const unsigned all = (1u << LANES) - 1;
  ptrdiff_t i = first;
  for (; i + LANES <= last; i += LANES) {
    if (lanes == all) store(o->centre + i, updated(o, i, va, vb));
    else store_lanes(o->centre + i, lanes, updated(o, i, va, vb));
  }
  if (i < last) store_lanes(o->centre + i, lanes & ((1u << (last - i)) - 1), updated(o, i, va, vb));
}

static inline void row_plain(const yardstick_grid *g, double *const *x, size_t here, int first_of_colour, double a, double b_h2inv) {
  const ptrdiff_t P = g->pitch, PP = (ptrdiff_t)g->plane;
  double *p = x[YARDSTICK_PHI] + here;
  const double *bi = x[YARDSTICK_BETA_I] + here, *bj = x[YARDSTICK_BETA_J] + here, *bk = x[YARDSTICK_BETA_K] + here;
  const operands o = {p, p - 1, p + 1, p - P, p + P, p - PP, p + PP, bi, bi + 1, bj, bj + P, bk, bk + PP,
                      x[YARDSTICK_ALPHA] + here, x[YARDSTICK_LAMBDA] + here, x[YARDSTICK_RHS] + here};
  if (LANES > 1) row(&o, 1, g->n + 1, first_of_colour ? 0xaa & ((1u << LANES) - 1) : 0x55 & ((1u << LANES) - 1), a, b_h2inv);
  else
    for (int i = 1 + first_of_colour; i <= g->n; i += 2) row(&o, i, i + 1, 1, a, b_h2inv);
}

/* mine, other: the row in the half that is updated, and in the other one. */
static inline void row_split(const yardstick_grid *g, double *const *x, size_t mine, size_t other, int shift, double a, double b_h2inv) {
  const ptrdiff_t P = g->pitch, PP = (ptrdiff_t)g->plane, east = shift ? 1 : 0;
  const double *q = x[YARDSTICK_PHI] + other;
  const operands o = {x[YARDSTICK_PHI] + mine, q + east - 1, q + east, q - P, q + P, q - PP, q + PP,
                      x[YARDSTICK_BETA_I] + mine, x[YARDSTICK_BETA_I] + other + east, x[YARDSTICK_BETA_J] + mine,
                      x[YARDSTICK_BETA_J] + other + P, x[YARDSTICK_BETA_K] + mine, x[YARDSTICK_BETA_K] + other + PP,
                      x[YARDSTICK_ALPHA] + mine, x[YARDSTICK_LAMBDA] + mine, x[YARDSTICK_RHS] + mine};
  row(&o, (1 - shift + 1) / 2, (g->n + 1 - shift + 1) / 2, (1u << LANES) - 1, a, b_h2inv);
}

/* i + j + k + color of interior cells counted from 0 is i + j + k + color - 3 in positions. */

void yardstick_plain(const yardstick_grid *g, double *const x[YARDSTICK_ARRAYS], double a, double b_h2inv, int color) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int box = 0; box < g->boxes; ++box)
    for (int k = 1; k <= g->n; ++k)
      for (int j = 1; j <= g->n; ++j)  /* i = 1 is of the colour when j + k + color is even */
        row_plain(g, x, position(g, (size_t)box, k, j, 0), (j + k + color) & 1, a, b_h2inv);
}

void yardstick_split(const yardstick_grid *g, double *const x[YARDSTICK_ARRAYS], double a, double b_h2inv, int color) {
  const int half = (color + 1) & 1;  /* positions with i + j + k + color odd */
#pragma omp parallel for collapse(2) schedule(static)
  for (int box = 0; box < g->boxes; ++box)
    for (int k = 1; k <= g->n; ++k)
      for (int j = 1; j <= g->n; ++j) {
        const size_t row = (size_t)box * g->box + (size_t)k * g->plane + (size_t)j * (size_t)g->pitch;
        row_split(g, x, row + (size_t)half * g->half, row + (size_t)(1 - half) * g->half, (j + k + half) & 1, a, b_h2inv);
      }
}
