// Names of the program's that a target's language owns.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Functions of the program's that are called as one of the language's or its library's are called user_NAME.
/// UserError for kernels, sizes and arguments with a word of the language as their name, since callers know
/// these names.
void free_reserved_names(Kernel& k, Target target);

}  // namespace lift
