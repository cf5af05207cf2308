// Plans as text: what the database keeps of a solver.
#pragma once

#include "gmg/plan.hpp"

namespace lift::gmg {

/// A line a choice, "down 3", without those that are as in Plan{}; then each kernel: "kernel HASH LINES" and
/// so many lines of its derivation. `tuned` and `database` are not among them.
std::string plan_text(const Plan& p);
/// UserError: a line that says nothing, with it; choices that mean nothing; derivations that are none.
Plan read_plan(const std::string& text);

/// `found` with all choices of `asked` that are not as in Plan{}.
Plan merged(const Plan& asked, const Plan& found);

}  // namespace lift::gmg
