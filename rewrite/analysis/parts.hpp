// The parts that a program is computed by, one after the other: values with a name, then its results.
#pragma once

#include "rewrite/engine/rule.hpp"

namespace lift {

/// Whether a value is more than a way of looking at others.
bool is_computed(const Expr& e);

/// Where the parts stand, in the order in which they are computed. A value that is but a way of looking at
/// others is none.
std::vector<Place> parts_of(const Expr& body);

}  // namespace lift
