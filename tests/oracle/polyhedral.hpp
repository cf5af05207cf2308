// The loops of a kernel as isl understands them, and what isl finds that they do: an oracle for schedules
// that shares nothing with the analysis that chose them.
//
// Every store, and every load in its value, is a statement with the iterations of the loops around it; its
// date is where these stand in the text and in their loops. isl's dataflow analysis says which store each
// load's value comes from. What a store computes is known by stage and position (`stage2[4, 3]`), in
// whichever cell of whichever array it is kept; a store of nothing but a load copies, and is looked through.
#pragma once

#include <isl/cpp.h>

#include <string>

#include "lower/loops/loop.hpp"

namespace lift::oracle {

/// What each load of each stage at each position, and each element of the results, gets.
struct Flow {
  isl::union_map values;    ///< stage2_load0[4, 3] -> stage1[5, 3], or given_u[5, 3], or nothing_ring[5, 3]
  isl::union_set computed;  ///< stage1[5, 3], ...
  std::string race;  ///< an element that one iteration of a parallel loop writes and another one accesses;
                     ///< within an iteration of a loop that a team goes through, of any two parallel loops
};

/// Of loops as translated: positions of one index a dimension. `placed`: the same loops, except that stores
/// go to the position that they compute, not to a slot of a ring. `rank`: of positions only so many last
/// indices, where those before say which work-group's array it is. `stages`: of so many, further ones are the
/// last of them once more, as those of a second phase are; 0: all. Throws on what isl cannot be told.
Flow flow_of(isl::ctx ctx, const Kernel& loops, const Kernel& placed, std::size_t rank = 100,
             std::size_t stages = 0);
/// Stores that compute something.
std::size_t stages_in(const Kernel& loops);

/// What is wrong with loops whose values should flow as `expected` says, with one example; empty: nothing.
std::string difference(const Flow& expected, const Flow& found);

}  // namespace lift::oracle
