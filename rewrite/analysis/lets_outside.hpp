#pragma once

#include "ir/expr/expr.hpp"

namespace lift {

/// Let-floating: names of computed arrays that stand among the arguments of other expressions,
/// `f (let x = a in b)`, stand before these, `let x = a in f b`, within the function that they are in. What
/// a definition names is then a stage where the definition is used, too. Types and meaning stay.
Expr with_lets_outside(const Expr& e);

}  // namespace lift
