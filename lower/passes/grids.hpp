// The grid of work-items that a launch runs over.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// The grid that a kernel of one launch is launched over, in work-items, from its map_glb, map_wrg and
/// map_lcl loops. Where the target leaves the size of a group open, local all zero is the device's free
/// choice and the grid fits exactly; where it is fixed it is always there, and the grid consists of whole
/// groups: the emitted text asks whether a work-item has work. UserError when a loop has no known bound,
/// LimitError where the grid is beyond what the target can launch.
NDRange nd_range(const Kernel& kernel, Target target = Target::opencl);

/// Gives each launch of a kernel its grid.
void size_grids(Kernel& k, Target target);
/// Work-items of a group, at most so many, for a grid that leaves them open: whole warps as far as its sizes
/// have divisors, along dimension 0 first.
std::array<std::size_t, 3> dividing_group(const std::array<std::size_t, 3>& global, std::size_t most);

/// Work-items (groups) along an axis of a grid, and the axes of a launch that have more than one.
std::size_t extent(const NDRange& r, const GridAxis& a);
std::vector<GridAxis> axes_of(const Launch& l);

}  // namespace lift
