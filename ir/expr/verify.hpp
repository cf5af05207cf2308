// The verifier: what must hold of a program between any two passes. A rule of rewriting or a pass that breaks
// one of these has a defect; a person's mistake is found earlier, by the typing rules and the guards.
//
//   closed            every variable is bound, or an argument of the program
//   no-holes          nothing is left to be filled in, neither a term nor a type
//   types             each node has the type that its typing rule gives; a bound variable that of its binder
//   arguments         params with names of their own; what may be overwritten is an array among them
//   loop-options      rank and options of loops (width, dimension, stride ...) lie in their ranges
//   map_vec           innermost: a scalar function without low-level maps, or a small block by unrolled maps
//   over all of it map_par           not inside map_vec map_glb           not inside map_wrg or map_lcl, nor
//   inside map_glb of the same dimension map_wrg           not inside map_glb or map_lcl, nor inside map_wrg
//   of the same dimension map_lcl           inside map_wrg of the same dimension, not inside map_lcl of the
//   same dimension one-machine       threads (map_par) and work-items (map_glb, map_wrg, map_lcl) do not mix
//   in a program to_local          inside map_wrg: local memory belongs to a work-group circular_buffer   the
//   same update_in_place   at most one; its base is an overwritable argument, or an element of one
//
// "Inside" is inside the function of a map: the array it is applied to is computed before.
#pragma once

#include <string_view>

#include "ir/expr/program.hpp"

namespace lift {

/// Throws InternalError for the first rule broken: its name, the part of the program, and `after` (the pass
/// or rule that ran last, if given).
void verify(const Program& program, std::string_view after = {});

}  // namespace lift
