// First pass: from an expression to loops over logical positions.
#pragma once

#include "lower/lower.hpp"

namespace lift {

/// Loops that compute `program`, with stores and loads at logical positions (one index a dimension).
/// Structural primitives on the way to the result become arithmetic on the place a value goes to (the
/// acceptor); those on the way to the arguments are views, so nothing is copied. A select whose other arm is
/// the element's own old value becomes a guarded store.
Kernel translate(const Program& program);

}  // namespace lift
