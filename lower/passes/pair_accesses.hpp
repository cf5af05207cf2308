// Loads and stores of neighbouring elements as one access each, for targets whose memory is best met in
// vectors.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Elements that straight-line code loads or stores anyway, and that lie together at a multiple of `bytes`
/// (or half of that, for four elements) from the start of an argument's array, are loaded into, or stored
/// from, one vector of 2 or 4. The value of a load stays what it was: nothing is moved over a store that
/// could change it. Arrays start at a multiple of `bytes`. Afterwards a Let of a vector is a Load, a vector
/// that is stored is a Shuffle of scalars, and a lane is a Shuffle of width 1.
Block pair_accesses(const Block& b, const Kernel& k, std::size_t bytes = 16);

}  // namespace lift
