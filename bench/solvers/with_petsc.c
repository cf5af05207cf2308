/* PETSc on a DMDA:
 *   with_petsc NK NJ NI FACES TOLERANCE U.f64 [PETSc options: -pc_type mg, -pc_type gamg, -ksp_type cg, ...]
 * DMDA's own decomposition into boxes. The tolerance is of the residual's 2-norm over f's, as ours. */
#include <petscdmda.h>
#include <petscksp.h>

#include "problem.h"

static Problem problem;

/* Any grid of the hierarchy: beta is taken at its own faces, as a user's callback does. */
static PetscErrorCode matrix(KSP ksp, Mat j, Mat a, void *context) {
  DM da;
  DMDALocalInfo g;
  PetscFunctionBeginUser;
  (void)j, (void)context;
  PetscCall(KSPGetDM(ksp, &da));
  PetscCall(DMDAGetLocalInfo(da, &g));
  Problem p = problem;
  p.n[0] = g.mz, p.n[1] = g.my, p.n[2] = g.mx;
  for (PetscInt k = g.zs; k < g.zs + g.zm; ++k)
    for (PetscInt y = g.ys; y < g.ys + g.ym; ++y)
      for (PetscInt i = g.xs; i < g.xs + g.xm; ++i) {
        const long at[3] = {k, y, i};
        double to[3][2];
        MatStencil row = {k, y, i, 0}, col[7] = {row};
        PetscScalar v[7] = {row_of(&p, at, to)};
        int n = 1;
        for (int d = 0; d < 3; ++d)
          for (int up = 0; up < 2; ++up) {
            if (!to[d][up]) continue;
            col[n] = row;
            PetscInt *const x = d == 0 ? &col[n].k : d == 1 ? &col[n].j : &col[n].i;
            *x += up ? 1 : -1;
            v[n++] = -to[d][up];
          }
        PetscCall(MatSetValuesStencil(a, 1, &row, n, col, v, INSERT_VALUES));
      }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  if (argc < 7) return fprintf(stderr, "with_petsc NK NJ NI FACES TOLERANCE U.f64 [options]\n"), 2;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  problem = problem_of(argv + 1);
  DM da;
  KSP ksp;
  Vec b, x, natural;
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                         problem.n[2], problem.n[1], problem.n[0], PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1,
                         NULL, NULL, NULL, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMDASetInterpolationType(da, DMDA_Q0)); /* cell centred */
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetDM(ksp, da));
  PetscCall(KSPSetComputeOperators(ksp, matrix, NULL));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, atof(argv[5]), 0, PETSC_DEFAULT, 200));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(DMCreateGlobalVector(da, &b));
  PetscCall(VecDuplicate(b, &x));
  DMDALocalInfo g;
  PetscScalar ***f;
  PetscCall(DMDAGetLocalInfo(da, &g));
  PetscCall(DMDAVecGetArray(da, b, &f));
  for (PetscInt k = g.zs; k < g.zs + g.zm; ++k)
    for (PetscInt j = g.ys; j < g.ys + g.ym; ++j)
      for (PetscInt i = g.xs; i < g.xs + g.xm; ++i) f[k][j][i] = f_of(&problem, k, j, i);
  PetscCall(DMDAVecRestoreArray(da, b, &f));
  const double t0 = seconds();
  PetscCall(KSPSetUp(ksp));
  PetscCall(MPI_Barrier(PETSC_COMM_WORLD));
  const double t1 = seconds();
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MPI_Barrier(PETSC_COMM_WORLD));
  const double t2 = seconds();
  PetscInt steps;
  PetscMPIInt rank;
  PetscCall(KSPGetIterationNumber(ksp, &steps));
  PetscCall(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(DMDACreateNaturalVector(da, &natural));
  PetscCall(DMDAGlobalToNaturalBegin(da, x, INSERT_VALUES, natural));
  PetscCall(DMDAGlobalToNaturalEnd(da, x, INSERT_VALUES, natural));
  VecScatter scatter;
  Vec all;
  PetscCall(VecScatterCreateToZero(natural, &scatter, &all));
  PetscCall(VecScatterBegin(scatter, natural, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, natural, all, INSERT_VALUES, SCATTER_FORWARD));
  if (rank == 0) {
    const PetscScalar *u;
    const size_t n = (size_t)problem.n[0] * problem.n[1] * problem.n[2];
    PetscCall(VecGetArrayRead(all, &u));
    FILE *out = fopen(argv[6], "wb");
    if (!out || fwrite(u, sizeof *u, n, out) != n || fclose(out)) return fprintf(stderr, "cannot write %s\n", argv[6]), 1;
    report(t1 - t0, t2 - t1, (int)steps);
  }
  PetscCall(PetscFinalize());
  return 0;
}
