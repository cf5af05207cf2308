// Work-items of a group share local memory: where they wait for one another.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// An array in global memory that a kernel writes.
struct SharedArray {
  std::string name;
  bool work = false;  ///< for intermediate values: else what a sweep reads of an array that it overwrites has
                      ///< been proved to be written by nobody else, and sweeps wait for one another already
};

/// Barriers at work-group level between accesses of different work-items to the same element of an array in
/// local or global memory, at least one of which writes; both, of arrays that are not for intermediate
/// values: between statements, and around the back edge of enclosing loops. None where each item reads only
/// what it wrote itself, and where another barrier stands between anyway. Never inside a loop over work-items
/// or a condition that items decide differently: UserError when one would be needed there. What stores
/// outside a loop over one of the group's dimensions is executed by one work-item of that dimension.
/// Positions are logical, as before linearisation.
Block place_barriers(const Block& b, const std::vector<SharedArray>& global);

/// Names of the arrays in local memory that are allocated in a block.
std::vector<std::string> local_arrays(const Block& b);

}  // namespace lift
