// Updates of what nobody needs afterwards, where the proof allows it.
#pragma once

#include "ir/expr/program.hpp"

namespace lift {

/// The body, with updates of overwritable arguments, and of what was made from them, in place: copying the
/// base would be traffic that nobody needs. Each by itself is in place where no element that it writes is
/// read for another (why_not_in_place), and where what it overwrites is read by nothing that comes after it.
/// Not so in the function of a map, of what lies outside of it: all iterations would write there.
Expr with_updates_in_place(const Program& program);

}  // namespace lift
