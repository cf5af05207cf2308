// Rules of one's own are held against the interpreter before they are used: random arrays, functions and
// numbers for their variables, and both sides compared.
#pragma once

#include "rewrite/engine/rule.hpp"

namespace lift {

/// On how many random instances of its left side a rule has held: exactly, or, where it only holds in real
/// arithmetic, to rounding. UserError where it does not hold, with a counterexample as a program and both
/// results; where no instance of it has a type. 0 for a rule that is a function, whose left side is not
/// known.
int check_rule(const Rule& r);

}  // namespace lift
