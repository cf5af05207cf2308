// A program's loops as others' compilers are given them: no decision taken, on arrays of several dimensions,
// and as few statements as there are stores.
#pragma once

#include "ir/expr/program.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

/// lower_undecided, with named values put where they are used wherever that is the same. Updates are in place
/// where the program allows it; work arrays are arguments.
Kernel untransformed_loops(const Program& program);

/// The same loops as a C programmer would share them among threads: the outermost ones of which each
/// iteration writes elements of its own and reads none that the loop writes are parallel, the innermost ones
/// vector loops.
Kernel shared_loops(Kernel loops);

}  // namespace lift
