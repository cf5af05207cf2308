// How wide a kernel's indices are.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Indices as wide as addresses: where 32 bits do not hold them all, and where work-groups of one item each
/// go through loops, as processors' threads do: there compilers fold what is added to a wide index into the
/// access. Work-items side by side have few accesses each, and a GPU's registers are of 32 bits.
bool needs_wide_indices(const Kernel& k, Target target);

}  // namespace lift
