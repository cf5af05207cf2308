// The expressions of the thesis "GMG operations in Lift", chapter 2, in its own form: what the operators of
// this library are held against. docs/thesis-listings.md puts both side by side.
#pragma once

#include "ir/expr/build.hpp"

namespace lift::thesis {

/// Listings 2.1-2.3, dim 1 to 3: slide(2, 2), join, reduce(add, 0), scaling by 1 / 2^dim. (2m)^dim.T ->
/// m^dim.T.
Expr restriction(int dim, const Expr& fine);

/// Listings 2.4 and 2.5: each neighbourhood of 2^dim coarse cells is duplicated 2^dim times by a pad, each
/// copy is zipped with a mirrored copy of the weights 2^dim.T, the copies are joined, the first and the last
/// along each dimension dropped. `padded` has one cell more at both ends of each dimension: (m + 2)^dim.T ->
/// (2m)^dim.T.
Expr prolongation(int dim, const Expr& padded, const Expr& weights);
/// The same with the joins spelled by one-dimensional joins and transposes, as in listing 2.5.
Expr prolongation_with_transposes(int dim, const Expr& padded, const Expr& weights);
/// The weights that make it linear interpolation between cell centres: products of 1/4 and 3/4, 2^dim.T in
/// row-major order.
std::vector<double> linear_weights(int dim);

/// Listing 2.7: the sum of both arrays' neighbourhoods. n.T -> n.T
Expr two_inputs(const Expr& a, const Expr& b);

/// The arrays of listings 2.8 and 2.10: all of one shape, which has a ghost zone of one cell.
struct Arrays {
  Expr alpha, beta_i, beta_j, beta_k, input, lambda, rhs, color;
};
/// Listing 2.8 with the parentheses of listing 2.6: (n + 2)^3 arrays -> n^3.T.
Expr residual(const Expr& a, const Expr& b, const Expr& h2inv, const Arrays& x);
/// Listing 2.10: one half-sweep where `color` (i32) is not 0; other cells are copied.
Expr smooth(const Expr& a, const Expr& b, const Expr& h2inv, const Arrays& x);

}  // namespace lift::thesis
