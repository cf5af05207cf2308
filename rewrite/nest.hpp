// The main loop nest of a program: the maps passed on the way from the result to a function that returns scalars.
#pragma once

#include <optional>

#include "rewrite/rule.hpp"

namespace lift {

struct NestLevel {
  Place place;                     ///< of the map
  std::vector<Nat> extents;        ///< one a dimension, outermost first
};
struct Nest {
  std::vector<NestLevel> levels;   ///< outer to inner; empty when the result is computed by no map
  std::optional<Place> update;     ///< the update on the way
  std::size_t above_update = 0;    ///< levels outside the update
};

/// Follows what the result is made of: functions of maps, blocks of updates, the first component of a tuple, and the
/// argument of a structural primitive that only says where elements go.
Nest main_nest(const Expr& body);
/// The same below `start`; places are those in the whole body.
Nest main_nest(const Expr& body, const Place& start);

}  // namespace lift
