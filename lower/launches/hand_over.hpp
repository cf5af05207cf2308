// Values and arrays that one launch leaves for another.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Makes work arrays of the kernel of what crosses from one launch of the block to another.
void hand_over(Kernel& k, Block& b);

}  // namespace lift
