// Programs that compute a result in stages: let a = map f xs in let b = map g (windows of a) in ... Each
// stage may be stored, or computed again wherever the next one reads it.
#pragma once

#include <optional>

#include "rewrite/engine/strategy.hpp"

namespace lift {

/// Where the named values stand that are stages: arrays computed by maps, of which the result, one array, is
/// computed in turn. Outer before inner; none when computing all of them where they are used would repeat too
/// much.
std::vector<Place> stages_of(const Expr& body);

/// The program in which every stage is computed where it is used.
Rewriting with_stages_fused(Rewriting start);

/// Elements of all stages together, of one iteration of the loops around them; nothing when a length is not
/// known.
std::optional<std::int64_t> elements_of_stages(const Expr& body);

}  // namespace lift
