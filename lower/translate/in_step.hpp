// Chains in step: the loop nests of several stages, run one after the other, become one nest that goes
// through all of them tile by tile. Along an axis, tiles of `width` positions; the tiles of later stages lag
// behind, so that a stage finds what it reads as the earlier ones have left it:
//
//   for s in steps:                     stage i does the positions x with  width*s <= x + shift_i <
//   width*(s+1)
//     for each stage i: ...
//
// With width 1 along the outermost axis it is the wavefront; with a second axis the tiles are parallelograms.
// Which shifts are right is for the rule that introduces them to know (rewrite/rules/rules_time.cpp); here
// loops are only cut.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

struct StepAxis {
  int depth = 0;           ///< of the stages' loops along this axis; 0 is the outermost
  std::int64_t width = 1;  ///< positions in a tile
  std::vector<std::int64_t>
      shift;  ///< a stage: its loop's index 0 lies at this place along the axis, lag included
};

/// `stages`: one sequential loop nest each. `axes`: the first one's tiles are the outermost loop. UserError
/// when a nest is not deep enough, or its loops are not sequential.
Block in_step(const std::vector<For>& stages, const std::vector<StepAxis>& axes);

}  // namespace lift
