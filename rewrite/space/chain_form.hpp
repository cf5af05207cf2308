// Programs whose iterations are chains: the one form in which steps that follow one another are decided
// about.
#pragma once

#include "rewrite/engine/strategy.hpp"

namespace lift {

/// How many steps of its iterations a program may be computed by at a time, the standard first, the fewest
/// last; none for a program without iterations of arrays that are computed.
std::vector<std::int64_t> depths_of(const Program& program);
/// Each iteration of up to `depth` steps is a chain of them; a longer one is a loop over time around chains
/// of so many.
Rewriting in_chain_form(Rewriting start, std::int64_t depth);
/// Where the last loop over time has its step, which makes the program's result; nothing where there is none,
/// or loops over elements of the result are around it, or it is for a grid and has more steps than could be
/// launched.
std::optional<Place> step_over_time(const Expr& body, bool on_grid);

}  // namespace lift
