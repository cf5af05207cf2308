// Programs whose spelling differs, and not what is computed, brought into one form, so that they have one
// space of variants and one default kernel.
#pragma once

#include "rewrite/engine/strategy.hpp"

namespace lift {

/// Laws that lose nothing: a map of maps is one over all their dimensions (map-flatten), and what is joined,
/// mapped and split as it was is mapped where it lies (map-of-join, split-of-join). Other programs stay as
/// they are, without a step.
Rewriting in_flat_form(Rewriting start);

}  // namespace lift
