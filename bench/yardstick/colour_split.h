/* Hand-written half-sweeps of the variable-coefficient red-black smoother, f64: what generated kernels are held against.
 *
 *   plain   ordinary arrays [box][k][j][i] with padded rows, every vector computed whole, only its cells of one colour changed
 *   split   colour-split arrays [box][half][k][j][ii], half = (i + j + k) mod 2, i = 2 ii + ((j + k + half) mod 2): a
 *           half-sweep is of unit stride, with every lane in use, and reads half of each cell-centred array
 *
 * Both have a ghost zone of one cell. Vectors of AVX-512 or AVX2 with FMA, whichever the compiler is told of; scalars
 * otherwise. Compiled by bench_colour_split as generated kernels are. */
#ifndef LIFTGEN_YARDSTICK_COLOUR_SPLIT_H
#define LIFTGEN_YARDSTICK_COLOUR_SPLIT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { YARDSTICK_PHI, YARDSTICK_RHS, YARDSTICK_ALPHA, YARDSTICK_BETA_I, YARDSTICK_BETA_J, YARDSTICK_BETA_K, YARDSTICK_LAMBDA, YARDSTICK_ARRAYS };

/* Where the cells of one array lie; lengths in elements. */
typedef struct {
  int n, boxes; /* interior cells a dimension */
  int side;     /* n + 2 */
  int split;    /* 0: ordinary */
  int pitch;    /* of rows */
  size_t plane, half, box;
} yardstick_grid;

/* Elements that an array needs, beside 64 readable ones before and behind. */
size_t yardstick_make_grid(yardstick_grid *grid, int n, int boxes, int split);

/* Between a caller's array [box][k][j][i] of sides n + 2 and an array of the grid. */
void yardstick_from_caller(const yardstick_grid *grid, const double *caller, double *array);
void yardstick_to_caller(const yardstick_grid *grid, const double *array, double *caller);

/* One half-sweep: phi = phi + lambda * (rhs - L(phi)) in interior cells with (i + j + k + color) mod 2 = 0, the cells
 * counted from the first interior one. */
void yardstick_plain(const yardstick_grid *grid, double *const arrays[YARDSTICK_ARRAYS], double a, double b_h2inv, int color);
void yardstick_split(const yardstick_grid *grid, double *const arrays[YARDSTICK_ARRAYS], double a, double b_h2inv, int color);

/* "AVX-512", "AVX2", "scalar" */
const char *yardstick_vectors(void);

#ifdef __cplusplus
}
#endif
#endif
