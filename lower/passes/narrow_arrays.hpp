// Accumulators of bytes.
#pragma once

#include "lower/analyses/value_ranges.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

/// Short arrays of an iteration's own, sums or extrema of vectors say, whose i32 are all bytes hold bytes.
Block narrow_arrays(const Block& b, const ValueRanges& ranges);

}  // namespace lift
