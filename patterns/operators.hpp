// The operators of the library, one function each, listed by `all_patterns`.
#pragma once

#include "patterns/pattern.hpp"

namespace lift {

/// Weighted Jacobi sweep or red-black Gauss-Seidel half-sweep of the variable-coefficient operator (patterns/helmholtz.hpp).
///
///   gsrb    phi  = phi +     lambda * (rhs - L(phi))   where (i + j + k + color) % 2 == 0, in place
///   jacobi  next = phi + w * lambda * (rhs - L(phi))   in all cells; ghost zones of next are left alone
///
/// i, j, k count interior cells from 0. Arguments: phi, rhs, alpha, beta_i, beta_j, beta_k, lambda, then for gsrb
/// a, b_h2inv (= b / h^2), color, and for jacobi next, a, b_h2inv, w. Source: miniGMG.
Pattern smooth3d();

// Transfer between a grid of `box` cells a dimension (even) and the coarse one of half as many, in 1, 2 or 3 dimensions:
// coarse cell c covers the fine cells 2c and 2c + 1 of each dimension. Ghost zones of what is written are left alone.

/// coarse = R(fine). Arguments fine, coarse. kind: average of the 2^dim fine cells; linear, weights (1, 3, 3, 1) / 8 an axis, the
/// transpose of linear prolongation; full_weighting, (1, 2, 1) / 4 about fine element 2c, for data at nodes; face, face-centred
/// data along `axis`, the mean of the fine faces that make up a coarse one. form thesis: slide(2, 2), join, reduce, scale.
Pattern restriction(int dim);
/// fine = P(coarse) or fine += P(coarse). Arguments coarse, fine. linear interpolates between cell centres (in 3D 27/64,
/// 9/64, 3/64, 1/64); constant takes the coarse cell's value. form thesis: listings 2.4 and 2.5, with a further argument
/// `weights`.
Pattern prolongation(int dim);

}  // namespace lift
