// Reductions of arrays to one number, as expressions: in f64 whatever the elements are.
#pragma once

#include "ir/expr/build.hpp"

namespace lift {

/// The largest absolute value of an array of `rank` dimensions; 0 when it is empty.
Expr largest_magnitude(int rank, const Expr& xs);
/// The sum of the elements. Compensated: every addition's rounding error is kept and summed beside the sum
/// (Knuth's two-sum), so that the result is as good as one computed with twice the digits.
Expr sum_of_elements(int rank, const Expr& xs, bool compensated);
/// The sum of squares.
Expr sum_of_squares(int rank, const Expr& xs);
/// A number as f64.
Expr widened(const Expr& x);
/// The Euclidean norm: the square root of the sum of squares.
Expr euclidean_norm(int rank, const Expr& xs, bool compensated);
/// The inner product of arrays of one shape.
Expr inner_product(int rank, const Expr& xs, const Expr& ys, bool compensated);

}  // namespace lift
