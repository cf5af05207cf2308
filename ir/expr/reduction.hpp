// What is known of the functions that reductions use: which may be applied to the elements in another order.
#pragma once

#include "ir/expr/build.hpp"

namespace lift {

/// Compensated addition ({s, s}, {s, s}) -> {s, s} of pairs {sum, what rounding lost of it} (Knuth's
/// two-sum): reduced from {0, 0} over pairs {x, 0}, the sum of the two components is as exact as if it was
/// computed in twice the precision.
Expr two_sum(Scalar s);

/// Whether a reduction by f from z may be made of reductions over parts of its elements, each from z, in any
/// order: f is associative and commutative but for rounding, and f(z, z) = z. Known are
///   +  from 0      *  from 1      min, max  from anything      two_sum  from {0, 0}
/// and functions of tuples that treat each component by one of these. Empty: it may; else why it is not known
/// to.
std::string why_in_order(const Expr& f, const Expr& z);

/// How many reductions by the same function, from the same z, lie one in the other below this one: levels of
/// one reduction.
std::size_t nested_levels(const Expr& reduction);

}  // namespace lift
