// How long the text of values becomes: C has no sharing but by names.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// UserError for a value that takes more operations than any compiler gets through, once what has no name is
/// written out wherever it is used: within a choice (select, pads, guards) that is so, since what may not be
/// needed is not computed before.
void check_written_out(const Block& b);

}  // namespace lift
