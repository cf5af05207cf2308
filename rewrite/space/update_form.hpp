// Programs that update arrays, brought into a form in which loops, and whether they are in place, can be
// decided.
#pragma once

#include "rewrite/engine/strategy.hpp"

namespace lift {

/// Each update is a sweep over a map. Updates of updates get names, where that lets all of them be in place
/// (let-base), or on threads at least those of what has a name; a block that no map computes, a row of an
/// array, say, that is moved to its border, gets a map that leaves its elements as they are (identity-map).
/// Other programs stay as they are, without a step.
Rewriting in_update_form(const Rewriting& start, bool on_grid);

}  // namespace lift
