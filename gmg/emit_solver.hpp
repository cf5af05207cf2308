// A solver as C, which needs no liftgen: levels, cycles and kernels as they are here.
//
// gmg/emitted/ has what all such solvers share; calls of kernels and tables are written for each.
#pragma once

#include "gmg/solver.hpp"

namespace lift::gmg {

/// The texts of files by their names: NAME.h, NAME.c, a file for each kernel. Coefficients, and so whether A
/// is singular, are those that the solver has; its conditions' values are where faces begin. UserError: a
/// name that is no word; cycles in f32, Chebyshev's iteration and conjugate gradients on the coarsest level,
/// which are not written.
std::map<std::string, std::string> emit_solver(Solver& solver, const std::string& name);

/// NAME_main.c: the problem of gmg/manufactured.hpp for helmholtz(domain, {.a, .variable}), and the domain as
/// it was before it got its values.
std::string emit_solver_main(Solver& solver, const std::string& name, double a, bool variable,
                             double tolerance);

}  // namespace lift::gmg
