// The operators of the library with what each moves and computes, as `liftgen list` prints them.
#pragma once

#include <string>

#include "patterns/pattern.hpp"

namespace lift::cli {

/// One operator: summary, arguments with their types, and flops and compulsory bytes a cell for every value
/// of every choice.
std::string operator_lines(const Pattern& pattern);
/// All operators as a Markdown page: formula, arguments, choices, and flops and bytes of all combinations in
/// 1D to 3D.
std::string operator_page();

}  // namespace lift::cli
