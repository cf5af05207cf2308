/* SOLVER: A u = f by multigrid, written by liftgen. Cells: SHAPE_TEXT, row by row, outermost axis first; double precision.
 *
 *   SOLVER *s = SOLVER_new();
 *   ... fill SOLVER_array(s, "NAME") for each coefficient (they begin as 1), SOLVER_face(s, "i_low", g) for faces' values ...
 *   SOLVER_prepare(s);
 *   SOLVER_solve(s, f, u, 1e-8, 30, history);
 *   SOLVER_free(s);
 *
 * gcc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno *.c -lm; -fopenmp may be left out. */
#ifndef SOLVER_H
#define SOLVER_H

#ifdef __cplusplus
extern "C" {
#endif

#define SOLVER_RANK RANK_NUMBER
#define SOLVER_CELLS CELLS_NUMBER
#define SOLVER_SHAPE SHAPE_NUMBERS /* cells along each axis */

typedef struct SOLVER SOLVER;
enum { SOLVER_OK, SOLVER_NO_MEMORY, SOLVER_NOT_POSITIVE, SOLVER_IS_SINGULAR, SOLVER_NOT_CONVERGED, SOLVER_NOT_FINITE };

SOLVER *SOLVER_new(void); /* NULL: not enough memory */
void SOLVER_free(SOLVER *s);
/* COEFFICIENTS_TEXT NULL: no such name. */
double *SOLVER_array(SOLVER *s, const char *name);
/* The value of a face's condition, one for each of its cells: "k_low", "k_high", ... NULL: no such face, or a periodic one. */
double *SOLVER_face(SOLVER *s, const char *name);
/* After coefficients or faces' values have changed. SOLVER_NOT_POSITIVE: A's diagonal. */
int SOLVER_prepare(SOLVER *s);
/* Until the residual's root mean square is `relative` times that where u is 0, at most `cycles`. u: the first guess, then the
 * best iterate. `history`: NULL, or room for cycles + 1 norms; `done`: NULL, or how many cycles there were. */
int SOLVER_solve(SOLVER *s, const double *f, double *u, double relative, int cycles, double *history, int *done);

#ifdef __cplusplus
}
#endif
#endif
