// Whether an array can be taken apart into variables: whether only elements at positions that are numbers are
// used.
#pragma once

#include "ir/expr/expr.hpp"

namespace lift {

/// `array` is a param that `body` uses, the result of which is written element by element: is every use of it
/// one that asks for elements one by one, at numbers? True also when there is none. A false answer may be too
/// cautious.
bool only_at_numbers(const Expr& body, const Expr& array);

}  // namespace lift
