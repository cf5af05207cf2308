// A .lift file as something to explore: its program with numbers for its sizes, filled as it declares.
#pragma once

#include <filesystem>

#include "tuning/expression_problem.hpp"

namespace lift {

/// `given` replaces the sizes that the file declares. C functions of the file mean to the interpreter what
/// the C compiler makes of them. With Problem::symbolic the pattern builds the program over its sizes.
/// UserError: the file cannot be read, is wrong (file:line:column), or does not admit a size; a data file of
/// another length.
PatternProblem load_lift_file(const std::filesystem::path& path, const Sizes& given = {});

}  // namespace lift
