// How far a right result may be from the reference, element by element, from the magnitudes of the operations
// that lead to it.
//
// The kernel that takes no decision is made to compute, beside each number x, how far rounding may have moved
// it: 0 for what is loaded from an argument, u (|a| + |b|) more for a + b, and so on, u being half a unit in
// the last place of the type of each operation (a running error analysis: Higham, Accuracy and Stability of
// Numerical Algorithms, 3.3). Numbers are f64 whatever the program's types.
//
// A sum over a loop is compensated (Neumaier), so that the reference is right to nearly the last digit, and
// may be added up in any order: with A the sum of |x| over k terms its bound is u A (8 + 4 sqrt(k) + k/16).
// The last part is what sums from left to right of many numbers of one sign drift; half of the worst case
// would be k/2, of random rounding sqrt(k).
//
// A comparison of numbers that are closer than their bounds may go either way, and both ways are right.
#pragma once

#include <optional>
#include <string>

#include "lower/loops/loop.hpp"

namespace lift {

/// Of the array `result`: where its bounds are.
std::string bound_name(const std::string& result);

/// The kernel with an array of f32 bounds, bound_name(R), beside each result R of floats, zeroed before it
/// runs: a right kernel's element lies within it of R's element. `kernel`: lowered without decisions. Nothing
/// when it does what is not understood here.
std::optional<Kernel> with_error_bounds(const Kernel& kernel);

}  // namespace lift
