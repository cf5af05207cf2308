// Sizes: the variables in the lengths of a program. A program over symbolic lengths becomes one over numbers,
// and the numbers are found from the lengths of the arrays that it is given.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/expr/program.hpp"

namespace lift {

using Sizes = std::map<std::string, std::int64_t>;  ///< by the variable's name
std::string str(const Sizes& sizes);                ///< "n = 64, m = 3"

/// The variables of `sizes_of` a program.
std::vector<const NatAtom*> size_variables(const Program& p);

/// The program with numbers for its sizes. UserError: a size without a number, a number for something that is
/// no size, one below the variable's least value or of another congruence; TypeError, with the line, for a
/// primitive that cannot be applied at these sizes.
Program with_sizes(const Program& p, const Sizes& sizes);
Type with_sizes(const Type& t, const Sizes& sizes);
Nat with_sizes(const Nat& n, const Sizes& sizes);

/// What has to hold of sizes besides their own conditions, so that every primitive can be applied and every
/// argument has a length: a slide's window is no longer than what it slides over, for example.
std::vector<NatCond> preconditions(const Program& p);

/// `length` = `value`, as told by `source` ("argument 1 (image), dimension 0").
struct LengthEquation {
  Nat length;
  std::int64_t value = 0;
  std::string source;
};
/// The sizes that solve all equations, beside those `known`. Each equation with one unknown gives it: exactly
/// when it is affine in it, else by bisection (lengths grow with sizes). Sizes that no equation determines
/// are left out. UserError naming the source of the equation that does not hold, with both numbers.
Sizes solve_sizes(const std::vector<LengthEquation>& equations, Sizes known = {});

}  // namespace lift
