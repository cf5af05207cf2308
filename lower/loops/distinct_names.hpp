// Names of values and arrays where passes put copies of statements side by side.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// The same statements, with names of their own for values and arrays that are declared in a block where
/// another one of that name is declared: x, x_2, x_3.
Block distinct_names(const Block& b);

}  // namespace lift
