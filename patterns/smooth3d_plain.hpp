// The smoother as a C programmer writes it: the baseline of measurements, and the source given to polyhedral compilers.
#pragma once

#include <string>

#include "patterns/pattern.hpp"

namespace lift {

/// C99 source of plain(), see Pattern::plain_c. With the ghost boundary it is one static control part: affine loops of
/// constant bounds over multi-dimensional arrays, one statement.
std::string smooth3d_plain(const Problem& p, bool gsrb);

}  // namespace lift
