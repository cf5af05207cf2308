// Names of variants, each of which is one variant's.
#pragma once

#include <span>

#include "tuning/explore.hpp"

namespace lift {

/// Variants of one name get the decisions in which they differ added to it.
void tell_apart(std::span<Variant> variants);

}  // namespace lift
