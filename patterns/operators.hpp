// The operators of the library. Those of multigrid are there in 1, 2 and 3 dimensions, listed by
// `all_patterns` as NAME1d, NAME2d, NAME3d.
//
// Arrays, boundary conditions: patterns/box_problem.hpp. L: patterns/stencil.hpp.
#pragma once

#include "patterns/pattern.hpp"

namespace lift {

/// A sweep of a smoother; `smoother` chooses:
///
///   gsrb            phi  = phi +     lambda * (rhs - L(phi))   where (i + j + k + color) % 2 == 0, in place
///   jacobi          next = phi + w * lambda * (rhs - L(phi))   in all cells; w = 1 is the unweighted sweep
///   chebyshev       phi_{m+1} = phi_m + c1_m (phi_m - phi_{m-1}) + c2_m lambda (rhs - L(phi_m)), `degree`
///   steps from phi_0 = phi
///                   and phi_{-1} = prev; each overwrites the array of the step before last
///   symmetric-gsrb  half-sweeps of the colours 0, 1, 1, 0, in place
///
/// i, j, k count interior cells from 0. Ghost zones stay as the caller filled them, also between steps and
/// half-sweeps. Arguments: phi, rhs, coefficients, lambda, (next or prev,) a, b_h2inv (= b / h^2),
/// (boundary_value,) then color, w, or c1, c2 (c1_0, c2_0, c1_1, ... for more than one step). Sources:
/// miniGMG, HPGMG.
Pattern smooth(int dim);
inline Pattern smooth3d() { return smooth(3); }

/// lphi = L(phi) in the interior. Arguments: phi, coefficients, lphi, a, b_h2inv, (boundary_value).
Pattern apply_operator(int dim);
/// res = rhs - L(phi) in the interior. Arguments: phi, rhs, coefficients, res, a, b_h2inv, (boundary_value).
Pattern residual(int dim);
/// lambda = 1 / (a*alpha + b/h^2 * (sum of beta over the cell's faces)), the inverse of the diagonal that L
/// has away from boundaries. Arguments: alpha, beta_i, beta_j, beta_k, lambda, a, b_h2inv.
Pattern lambda_operator(int dim);

// Transfer between a grid of `box` cells a dimension (even) and the coarse one of half as many, in 1, 2 or 3
// dimensions: coarse cell c covers the fine cells 2c and 2c + 1 of each dimension. Ghost zones of what is
// written are left alone.

/// coarse = R(fine). Arguments fine, coarse. kind: average of the 2^dim fine cells; linear, weights (1, 3, 3,
/// 1) / 8 an axis, the transpose of linear prolongation; full_weighting, (1, 2, 1) / 4 about fine element 2c,
/// for data at nodes; face, face-centred data along `axis`, the mean of the fine faces that make up a coarse
/// one. Then boundary_value, where cells outside are read and the boundary condition has one. form thesis:
/// slide(2, 2), join, reduce, scale.
Pattern restriction(int dim);
/// fine = P(coarse) or fine += P(coarse). Arguments coarse, fine. linear interpolates between cell centres
/// (in 3D 27/64, 9/64, 3/64, 1/64); constant takes the coarse cell's value. form thesis: listings 2.4
/// and 2.5, with a further argument `weights`.
Pattern prolongation(int dim);

/// fine += P(coarse): prolongation in mode increment.
Pattern prolongation_correction(int dim);
/// coarse = R(rhs - L(phi)), R the average. Arguments phi, rhs, coefficients, (res,) coarse, a, b_h2inv,
/// (boundary_value). keep yes: two results, the residual res and coarse.
Pattern residual_restriction(int dim);
/// The norm of rhs - L(phi): one f64, see norm. Arguments phi, rhs, coefficients, a, b_h2inv,
/// (boundary_value).
Pattern residual_norm(int dim);

// Operators on the interior cells of all boxes.

Pattern axpy(int dim);   ///< y = y + a x, in place; arguments x, y, a
Pattern scale(int dim);  ///< x = a x, in place; arguments x, a
Pattern shift(int dim);  ///< x = x + a, in place; arguments x, a
/// The largest magnitude (max) or the Euclidean norm (l2, sums in f64, also compensated) of x: one f64.
Pattern norm(int dim);
/// The inner product of x and y: one f64, summed in f64, also compensated.
Pattern dot(int dim);

// Programs of an atmosphere, on levels, rows and points [box][k][j][i]; see patterns/columns.hpp.

/// a x[k-1] + b x[k] + c x[k+1] = d in each column. Arguments a, b, c, d; result x.
Pattern thomas();
/// A step of implicit vertical advection. Arguments wcon (n+1 levels, n+1 points a row), u_stage, u_pos,
/// utens, utens_stage, dtr_stage; result utens_new.
Pattern vertical_advection();
/// Negative mixing ratios are filled from the neighbouring levels. Arguments q, dp; result q_new.
Pattern fillz();
/// Fourth-order horizontal diffusion with a flux limiter. Arguments u (with a halo of two points in j and i,
/// where the boundary condition is ghost), coeff; result u_new.
Pattern horizontal_diffusion();

}  // namespace lift
