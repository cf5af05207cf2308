// A step of an iteration as a program by itself: its body, over the array that the steps hand on, which is
// the kernel's own and may be overwritten, and over whatever has a name around the iteration. Analyses,
// decisions and rules about programs are so also about what a loop over time repeats.
#pragma once

#include <functional>

#include "rewrite/engine/rule.hpp"

namespace lift {

/// Where the body of an iteration's step stands.
Place step_of(Place iterate);
/// Whether that is what stands at a place.
bool is_step(const Expr& body, const Place& place);
/// Of the same places below that one. Names of variables depend on where they are bound alone.
Program step_program(const Program& p, const Place& step);
/// `p` with another step: what `changed` makes of the step's program.
Result<Program> with_step(const Program& p, const Place& step,
                          const std::function<Result<Program>(const Program&)>& changed);

}  // namespace lift
