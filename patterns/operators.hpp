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

}  // namespace lift
