// Parts of terms by themselves: variables that lambdas around a part bind, replaced.
#pragma once

#include "ir/expr/expr.hpp"

namespace lift {

/// A part of a term with the variables of the lambdas around it replaced: `around[i]` are the values of the
/// i-th lambda's, outermost first. Costs as much as the part is large, whatever is around it.
Expr instantiate_in(const Expr& part, std::span<const std::vector<Expr>> around);

}  // namespace lift
