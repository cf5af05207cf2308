// Loops and conditions around several launches.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Where items meet is asked while positions are those of the arrays; it has been told by loops of the host's
/// afterwards.
enum class Positions { Logical, Flat };

/// A loop over the grid, or a condition, around several launches becomes several. Another loop around them,
/// or around one of which items cannot go on to the next iteration by themselves, becomes the host's.
/// UserError where work-items keep values from one launch to another, or an iteration hands one to the next.
Block distributed(const Block& b, Positions positions);

}  // namespace lift
