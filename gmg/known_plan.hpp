// What tuning has found for a solver, in the database of what exploring has found.
//
// It is found again by A on its grid (cells, kinds of faces, how strongly the axes are coupled), by
// processor, compiler and threads. Values of coefficients and numbers, conditions' values and tolerances do
// not count.
#pragma once

#include <optional>

#include "gmg/plan.hpp"

namespace lift::gmg {

struct KnownPlan {
  Plan plan;
  std::string origin;  ///< "tuned on 2026-11-27 09:12 (UTC): V(3,2), ..., 9 kernels"
};

/// `database`: a file; empty: the user's; "none": nowhere. What is wrong with it, or with the record, is said
/// on standard error, and there is none then.
std::optional<KnownPlan> known_plan(const Equation& equation, const std::string& database = "");
/// In place of what was there. What is wrong with the database is said on standard error.
void keep_plan(const Equation& equation, const Plan& plan, const std::string& database = "");

}  // namespace lift::gmg
