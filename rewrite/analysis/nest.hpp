// The loop nests of a program; the main one: the maps passed on the way from the result to a function that
// returns scalars.
#pragma once

#include <optional>

#include "rewrite/engine/rule.hpp"

namespace lift {

struct NestLevel {
  Place place;               ///< of the map
  std::vector<Nat> extents;  ///< one a dimension, outermost first
};
struct Nest {
  std::vector<NestLevel> levels;  ///< outer to inner; empty when the result is computed by no map
  std::optional<Place> update;    ///< the outermost update on the way
  std::size_t above_update = 0;   ///< levels outside the update
};

/// Elements of a small block that a loop makes an iteration, of which all inner loops are written out.
inline constexpr std::int64_t kMostOfBlock = 8;

/// Follows what the result (or, of several, the given one) is made of: functions of maps, blocks of updates,
/// the argument of a structural primitive that only says where elements go, and values with a name where the
/// result is such a value. `start`: of the part of the body there; places are those in the whole body.
Nest main_nest(const Expr& body, const Place& start = {}, int result = 0);

/// Places of all maps that are loops on the way to results, to larger values with a name, within scans and
/// within the steps of iterations, outer before inner.
std::vector<Place> loop_places(const Expr& body);
bool has_scan(const Expr& e);
/// How many of a nest's levels are around the scans of the program: the last of them goes over columns, from
/// each of which its function makes another by scans. 0: no scans, or none within a loop.
std::size_t levels_around_scans(const Expr& body, const Nest& nest);
/// Whether a reduction is a loop that is worth its own decisions: over more than a few elements.
bool is_long_reduction(const Expr& e);
/// How many of a nest's levels are around long reductions.
std::size_t levels_around_reductions(const Expr& body, const Nest& nest);

}  // namespace lift
