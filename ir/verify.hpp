// What every program must satisfy between passes. A violation is a defect of liftgen, not of the user's expression.
#pragma once

#include "ir/program.hpp"

namespace lift {

/// Throws InternalError naming the broken rule:
///   closed     no bound variable refers outside, no holes, no open types; every param is an argument
///   typed      each node has the type that its children and attributes give it
///   nesting    map_vec holds scalar arithmetic only; map_par lies not inside map_vec; map_lcl lies inside a map_wrg of its
///              dimension; map_glb lies inside neither map_wrg nor a map_glb of its dimension; map_par and maps over
///              work-items do not mix; to_local lies inside a map_wrg
///   in place   at most one update_in_place, and only with an overwritable argument
void verify(const Program& program);

}  // namespace lift
