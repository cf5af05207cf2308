#pragma once

#include "ir/expr/expr.hpp"

namespace lift {

/// A map that takes a component of each element of what has a name is a way of looking at it,
/// `map (\x. x.i) xs = (unzip xs).i`, and a name of that is one of no stage.
Expr with_component_views(const Expr& e);

}  // namespace lift
