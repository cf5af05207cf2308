#pragma once

#include "ir/expr/expr.hpp"

namespace lift {

/// Reductions, and arrays that take long to compute (by reductions, scans, iterations, of windows), that an
/// expression has at several places, or in a function that a loop applies, have names where the function that
/// they are in begins: what is written twice, or given to a definition that uses it twice, is computed once.
Expr with_shared_stages_named(const Expr& e);

}  // namespace lift
