// What `liftgen solve` solves: an equation of the library, with a known solution or with arrays from files,
// or A of a .lift file.
#pragma once

#include "cli/solve_options.hpp"
#include "gmg/solver.hpp"
#include "tuning/expression_problem.hpp"

namespace lift::cli {

struct SolveProblem {
  gmg::Equation equation;
  std::vector<double> f, guess;
  std::vector<double> known = {};                     ///< the solution; empty: nobody knows
  std::map<std::string, ArgumentData> declared = {};  ///< what a file says of its coefficients
};

/// UserError: a file that cannot be read or holds something else than is needed, options that do not go
/// together.
SolveProblem problem_of(const SolveOptions& o);
/// Gives the solver what --set says, and of a problem with a known solution the coefficients that it has.
void set_coefficients(const SolveOptions& o, const SolveProblem& problem, gmg::Solver& solver);
/// Writes u beside the file, and renames: what was there stays until all of it is written. UserError.
void write_array(const std::string& path, const gmg::Domain& domain, std::span<const double> u);

}  // namespace lift::cli
