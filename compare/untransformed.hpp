// A program's loops as others' compilers are given them: no decision taken, on arrays of several dimensions,
// and as few statements as there are stores.
#pragma once

#include "ir/expr/program.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

/// lower_undecided, with named values put where they are used wherever that is the same. Updates are in place
/// where the program allows it; work arrays are arguments.
Kernel untransformed_loops(const Program& program);

}  // namespace lift
