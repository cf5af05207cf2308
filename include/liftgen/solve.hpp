// Multigrid solvers: write A, get the solver.
//
//   namespace gmg = lift::gmg;
//   gmg::Domain box({96, 200, 256}, {.spacing = 1.0 / 256});
//   box.face(gmg::k_low) = gmg::dirichlet(1.0), box.face(gmg::k_high) = gmg::neumann(), box.periodic(gmg::i);
//   gmg::Solver solver(gmg::helmholtz(box));
//   solver.set("beta_k", bk).set("beta_j", bj).set("beta_i", bi);
//   gmg::Report r = solver.solve(rhs, u, {.relative = 1e-8, .cycles = 30});
//   if (!r.converged()) throw std::runtime_error(r.text());
//
// docs/solver.md is the introduction.
#pragma once

#include "gmg/emit_solver.hpp"
#include "gmg/fourier.hpp"
#include "gmg/from_program.hpp"
#include "gmg/manufactured.hpp"
#include "gmg/solver.hpp"

namespace lift::gmg {

// Axes and faces by name: arrays are [k][j][i].
inline constexpr Axis i = Axis::i, j = Axis::j, k = Axis::k;
inline constexpr Face i_low{Axis::i, false}, i_high{Axis::i, true}, j_low{Axis::j, false},
    j_high{Axis::j, true}, k_low{Axis::k, false}, k_high{Axis::k, true};

}  // namespace lift::gmg
