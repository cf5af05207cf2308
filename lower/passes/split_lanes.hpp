// Vectors as their lanes, for targets that load and store vectors but compute with scalars.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// The same statements without vectors: every vector value is one scalar a lane, vector loads and stores are
/// those of their elements, masks are conditions. What a vector computes whatever its mask says is still
/// computed so.
Block split_lanes(const Block& b);

}  // namespace lift
