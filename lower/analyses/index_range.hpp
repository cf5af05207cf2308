// How large the integers of a kernel become: its indices, and everything computed on the way to them.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Whether integers of 32 bits hold every index, bound and condition of the kernel, and every part of the
/// sums and products they are computed from, in whatever order. False where a bound is not known.
bool indices_fit_int(const Kernel& k);

}  // namespace lift
