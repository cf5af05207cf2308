// What a comparison found, in a table of 80 columns.
#pragma once

#include "tuning/explore.hpp"

namespace lift {

/// No trailing newline. Times of all rows come from one interleaved run; `ours` is a row's time over that of
/// the fastest variant in the caller's layout.
std::string comparison_table(const ExploreResult& result);

}  // namespace lift
