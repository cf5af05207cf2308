// Transfer between a fine grid and the coarse one of half as many cells a dimension, as expressions over one
// box, in any dimension. Coarse cell c covers the fine cells 2c and 2c + 1 of each dimension.
//
// Whatever writes the fine grid has one shape: each coarse cell computes its 2^dim children with one inner
// map, and a join puts them in place. No index is divided: the parity of a fine cell is the index of the
// inner map.
#pragma once

#include "ir/expr/build.hpp"

namespace lift {

// ---- fine to coarse: (2m)^dim.T -> m^dim.T

/// The mean of a coarse cell's 2^dim fine cells.
Expr restrict_average(int dim, const Expr& fine);
/// Weights (1, 2, 1) / 4 an axis about the fine element 2c, for data at nodes. `low_padded` has one element
/// more than the fine grid at the low end of each dimension: (2m + 1)^dim.T.
Expr restrict_full_weighting(int dim, const Expr& low_padded);
/// Weights (1, 3, 3, 1) / 8 an axis: the transpose, scaled by 2^-dim, of linear prolongation. `padded` has
/// one element more than the fine grid at both ends of each dimension: (2m + 2)^dim.T.
Expr restrict_linear(int dim, const Expr& padded);
/// Face-centred data along `axis` (0 is the outermost dimension), 2m + 1 faces along it and 2m across: the
/// mean of the 2^(dim - 1) fine faces that make up a coarse face.
Expr restrict_faces(int dim, int axis, const Expr& faces);

// ---- coarse to fine

/// Each fine cell takes its coarse cell's value: m^dim.T -> (2m)^dim.T.
Expr prolong_constant(int dim, const Expr& coarse);
/// Linear interpolation between cell centres, weights 3/4 and 1/4 an axis: in 3D 27/64, 9/64 (three), 3/64
/// (three), 1/64. `padded` has one coarse cell more at both ends of each dimension: (m + 2)^dim.T ->
/// (2m)^dim.T.
Expr prolong_linear(int dim, const Expr& padded);
/// The same, added to the fine grid (2m)^dim.T.
Expr add_prolonged_constant(int dim, const Expr& coarse, const Expr& fine);
Expr add_prolonged_linear(int dim, const Expr& padded, const Expr& fine);

/// The sum of the elements of a dim-dimensional window of known size, in row-major order, written out.
Expr sum_of(int dim, const Expr& window);

}  // namespace lift
