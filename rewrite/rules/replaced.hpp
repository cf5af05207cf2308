// Parts of an expression replaced, wherever they stand.
#pragma once

#include <functional>
#include <optional>

#include "ir/expr/expr.hpp"

namespace lift {

/// `e` with every part for which `by` gives a value replaced by it, outermost first; each distinct part is
/// asked about once.
Expr replaced(const Expr& e, const std::function<std::optional<Expr>(const Expr&)>& by);

}  // namespace lift
