// Positions that a program computes: what is beyond the ends of an array, and proofs that nothing is.
#pragma once

#include <functional>
#include <vector>

#include "ir/expr/term.hpp"

namespace lift {

/// What a name in a term, or an element that it loads, stands for: one of these; none where that is not
/// known.
using Definition = std::function<std::vector<Term>(const Term& of)>;

/// Whether the i32 or i64 is proved to be one of 0 to length - 1: from index arithmetic, and from min, max,
/// %, select and sums with numbers around anything else.
bool is_within(const Term& i, const Nat& length, const Facts& facts, const Definition& definition);

/// A position that is within, as an i32: lengths are i32.
Term position_term(const Term& i);

/// Where an array of that length has what the boundary condition puts at position i, as far beyond as i may
/// be: one of 0 to length - 1. For constant that of the nearest element.
Term within(Boundary b, const Term& i, const Nat& length);
/// i is a position of the array.
Term inside(const Term& i, const Nat& length);

}  // namespace lift
