/* hypre's solvers of structured grids:
 *   with_hypre NK NJ NI FACES TOLERANCE U.f64 SOLVER
 * SOLVER: smg, pfmg-jacobi, pfmg-rb (red-black Gauss-Seidel), pcg-pfmg-jacobi, pcg-pfmg-rb, pcg-smg; a process has a
 * slab of planes. The matrix is stored as symmetric. The tolerance is of the residual's 2-norm over f's, as ours. */
#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include "problem.h"

static HYPRE_StructSolver pfmg(int red_black, int alone, double tolerance) {
  HYPRE_StructSolver s;
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &s);
  HYPRE_StructPFMGSetRelaxType(s, red_black ? 2 : 1);
  HYPRE_StructPFMGSetRAPType(s, 0);
  HYPRE_StructPFMGSetNumPreRelax(s, 1), HYPRE_StructPFMGSetNumPostRelax(s, 1);
  HYPRE_StructPFMGSetMaxIter(s, alone ? 200 : 1);
  HYPRE_StructPFMGSetTol(s, alone ? tolerance : 0);
  if (!alone) HYPRE_StructPFMGSetZeroGuess(s);
  return s;
}

static HYPRE_StructSolver smg(int alone, double tolerance) {
  HYPRE_StructSolver s;
  HYPRE_StructSMGCreate(MPI_COMM_WORLD, &s);
  HYPRE_StructSMGSetNumPreRelax(s, 1), HYPRE_StructSMGSetNumPostRelax(s, 1);
  HYPRE_StructSMGSetMaxIter(s, alone ? 200 : 1);
  HYPRE_StructSMGSetTol(s, alone ? tolerance : 0);
  if (!alone) HYPRE_StructSMGSetZeroGuess(s);
  return s;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  if (argc != 8) return fprintf(stderr, "with_hypre NK NJ NI FACES TOLERANCE U.f64 SOLVER\n"), 2;
  const Problem p = problem_of(argv + 1);
  const double tolerance = atof(argv[5]);
  const char *name = argv[7];
  int rank, ranks, steps = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long k0 = p.n[0] * rank / ranks, k1 = p.n[0] * (rank + 1) / ranks, nj = p.n[1], ni = p.n[2];
  const size_t n = (size_t)(k1 - k0) * nj * ni;
  HYPRE_Int low[3] = {0, 0, (HYPRE_Int)k0}, high[3] = {(HYPRE_Int)ni - 1, (HYPRE_Int)nj - 1, (HYPRE_Int)k1 - 1};

  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, low, high);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencil stencil;
  HYPRE_StructStencilCreate(3, 4, &stencil);
  HYPRE_Int offsets[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, entries[4] = {0, 1, 2, 3};
  for (int s = 0; s < 4; ++s) HYPRE_StructStencilSetElement(stencil, s, offsets[s]);
  HYPRE_StructMatrix a;
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &a);
  HYPRE_StructMatrixSetSymmetric(a, 1);
  HYPRE_StructMatrixInitialize(a);
  double *values = malloc(4 * n * sizeof *values), *f = malloc(n * sizeof *f), *u = calloc(n, sizeof *u);
  size_t x = 0;
  for (long k = k0; k < k1; ++k)
    for (long j = 0; j < nj; ++j)
      for (long i = 0; i < ni; ++i, ++x) {
        const long at[3] = {k, j, i};
        double to[3][2];
        values[4 * x] = row_of(&p, at, to);
        for (int d = 0; d < 3; ++d) values[4 * x + 1 + d] = -to[2 - d][1];
        f[x] = f_of(&p, k, j, i);
      }
  HYPRE_StructMatrixSetBoxValues(a, low, high, 4, entries, values);
  HYPRE_StructMatrixAssemble(a);
  free(values);
  HYPRE_StructVector b, v;
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &b), HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &v);
  HYPRE_StructVectorInitialize(b), HYPRE_StructVectorInitialize(v);
  HYPRE_StructVectorSetBoxValues(b, low, high, f), HYPRE_StructVectorSetBoxValues(v, low, high, u);
  HYPRE_StructVectorAssemble(b), HYPRE_StructVectorAssemble(v);

  MPI_Barrier(MPI_COMM_WORLD);
  const double t0 = seconds();
  double t1 = 0, t2 = 0;
  const int krylov = !strncmp(name, "pcg-", 4);
  const char *grid_solver = krylov ? name + 4 : name;
  const int is_smg = !strcmp(grid_solver, "smg"), red_black = !strcmp(grid_solver, "pfmg-rb");
  if (!is_smg && !red_black && strcmp(grid_solver, "pfmg-jacobi")) return fprintf(stderr, "no solver %s\n", name), 2;
  HYPRE_StructSolver m = is_smg ? smg(!krylov, tolerance) : pfmg(red_black, !krylov, tolerance);
  HYPRE_Int its = 0;
  if (krylov) {
    HYPRE_StructSolver cg;
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_StructPCGSetTwoNorm(cg, 1), HYPRE_StructPCGSetTol(cg, tolerance), HYPRE_StructPCGSetMaxIter(cg, 200);
    if (is_smg)
      HYPRE_StructPCGSetPrecond(cg, HYPRE_StructSMGSolve, HYPRE_StructSMGSetup, m);
    else
      HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, m);
    HYPRE_StructPCGSetup(cg, a, b, v);
    MPI_Barrier(MPI_COMM_WORLD), t1 = seconds();
    HYPRE_StructPCGSolve(cg, a, b, v);
    HYPRE_StructPCGGetNumIterations(cg, &its);
  } else if (is_smg) {
    HYPRE_StructSMGSetup(m, a, b, v);
    MPI_Barrier(MPI_COMM_WORLD), t1 = seconds();
    HYPRE_StructSMGSolve(m, a, b, v);
    HYPRE_StructSMGGetNumIterations(m, &its);
  } else {
    HYPRE_StructPFMGSetup(m, a, b, v);
    MPI_Barrier(MPI_COMM_WORLD), t1 = seconds();
    HYPRE_StructPFMGSolve(m, a, b, v);
    HYPRE_StructPFMGGetNumIterations(m, &its);
  }
  MPI_Barrier(MPI_COMM_WORLD), t2 = seconds(), steps = its;

  HYPRE_StructVectorGetBoxValues(v, low, high, u);
  for (int r = 0; r < ranks; ++r, MPI_Barrier(MPI_COMM_WORLD)) {
    if (r != rank) continue;
    FILE *out = fopen(argv[6], r ? "ab" : "wb");
    if (!out || fwrite(u, sizeof *u, n, out) != n || fclose(out)) return fprintf(stderr, "cannot write %s\n", argv[6]), 1;
  }
  if (rank == 0) report(t1 - t0, t2 - t1, steps);
  MPI_Finalize();
  return 0;
}
