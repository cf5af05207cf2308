// Time as a decision: how many steps of an iteration go together, and the loop over time around them.
#pragma once

#include "rewrite/space/kind.hpp"

namespace lift {

/// `step`: of the loop, in the program's body.
std::unique_ptr<Kind> loop_over_time(Rewriting start, const Place& step, const SpaceOptions& options);

/// The kind that a program is of by how many steps go together.
struct AtDepth {
  std::int64_t depth;
  std::unique_ptr<Kind> kind;
};
/// All of them as one, whose first decision is the depth.
std::unique_ptr<Kind> by_depth(std::vector<AtDepth> kinds);
std::vector<RegisteredDecision> registered_depth_decisions();

}  // namespace lift
