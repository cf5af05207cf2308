// Values that are known before anything is computed: what lengths, positions and numbers of steps may be.
#pragma once

#include <optional>

#include "ir/expr/build.hpp"

namespace lift {

/// The length or position that a value is at every run: of numbers, sizes and index parameters alone.
std::optional<Nat> as_nat(const Expr& e);

/// f applied to x as many times as an index parameter says, or i32 arithmetic on such. UserError for other
/// values.
Expr iterate(const Expr& times, const Expr& f, const Expr& x, Where where = Where::current());

}  // namespace lift
