// Names of values and arrays where passes put copies of statements side by side.
#pragma once

#include <set>
#include <string>

#include "lower/loops/loop.hpp"

namespace lift {

/// The same statements, with names of their own for values and arrays that are declared in a block where
/// another one of that name is declared: x, x_2, x_3.
Block distinct_names(const Block& b);

/// Names of arrays that are declared or accessed there, and of numbers that are passed: values have others.
std::set<std::string> passed_names(const Block& b);
/// These and those of values.
std::set<std::string> names_in(const Block& b);

}  // namespace lift
