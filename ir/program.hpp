// A program: one expression over named arguments, as it becomes a kernel.
#pragma once

#include <string>
#include <vector>

#include "ir/expr.hpp"

namespace lift {

/// `body` computes the result from `arguments` (params: arrays, f32/f64 scalars, index params). The kernel takes the
/// arguments in this order and, unless the result is written into one of them, the result array `out` last.
/// `overwritable` names the arguments whose old contents nobody needs afterwards: only these may be written in place.
struct Program {
  std::string name;
  std::vector<Expr> arguments;
  Expr body;
  std::vector<std::string> overwritable;
};

/// An i32 argument with a known inclusive range, usable in index arithmetic (a colour, a level): symbolically it is a
/// Nat variable.
Expr index_param(const std::string& name, std::int64_t lower, std::int64_t upper);

}  // namespace lift
