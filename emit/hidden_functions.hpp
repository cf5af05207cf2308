// Parameters whose names would hide functions that the text calls.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Names that types and helper functions of the emitted text may have: f64x4, load_f64x4, mask4, min_f64,
/// index_mod.
bool is_helper_name(const std::string& name);

/// The kernel with other names for sizes and arguments that are called as a function is that the kernel calls
/// (an array exp beside exp(x)). Callers pass arguments by position; in headers they keep their names.
Kernel without_hidden_functions(const Kernel& k);

}  // namespace lift
