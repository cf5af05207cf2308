// Choices that change how many cycles a solve takes and what a cycle costs, by time to the goal.
#pragma once

#include "gmg/solver.hpp"

namespace lift::gmg {

/// How a plan did on A u = f, from u = 0.
struct PlanTrial {
  Plan plan;
  double ms = 0;  ///< the least of two solves or more
  int cycles = 0;
  bool reached = false;  ///< the goal
};

/// Reached the goal, in less time if both did.
bool is_better(const PlanTrial& a, const PlanTrial& b);
/// "V(3,2), ...: 123 ms, 4 cycles".
std::string str(const PlanTrial& t);

/// Gives a solver of a plan with its coefficients.
using MakeSolver = std::function<Solver(const Plan&)>;

/// UserError: as Solver's.
PlanTrial try_plan(const Plan& plan, const MakeSolver& make, std::span<const double> f, const Goal& goal);

/// From the plan `start` on, the neighbours of the fastest ones so far, each of which changes one choice:
/// sweeps down or up, f32 or f64, cycles for one residual in f64. Ends where the neighbours of the six
/// fastest are tried, or after 70 % of so many seconds; in what is left, those six are timed in turns.
/// In order of trial, `start` first. UserError: as Solver's.
std::vector<PlanTrial> try_plans(const Plan& start, const MakeSolver& make, std::span<const double> f,
                                 const Goal& goal, double seconds);

}  // namespace lift::gmg
