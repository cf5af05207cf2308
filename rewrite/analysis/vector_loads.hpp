// Whether neighbouring elements of a result are computed from neighbouring elements of what is read.
#pragma once

#include "rewrite/analysis/footprint.hpp"

namespace lift {

/// Whether vectors of neighbouring cells along the innermost axis, which has so many, each a block of so many
/// elements, can be loaded: positions move by at most two elements of a row from one cell to the next, as far
/// as can be seen away from boundaries.
bool loads_vectors(const Footprint& print, const Nat& cells, const Nat& block);
/// Of a program by itself; true where nothing is known of its elements.
bool loads_vectors(const Program& program);

}  // namespace lift
