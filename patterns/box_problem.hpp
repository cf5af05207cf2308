// What the operators on boxes of 1, 2 or 3 dimensions have in common: their arrays, boundary conditions and
// choices.
//
// Arrays are [box][k][j][i], i of unit stride (in 2D [box][j][i], in 1D [box][i]). With the ghost boundary,
// every box of n^dim cells carries a ghost zone of g cells a side and all arrays have side n + 2g. With the
// other boundaries boxes have no ghost zone: cell-centred arrays have side n, and face-centred ones n + 1
// along their own axis. beta_i[k][j][i] is the face between the cells i - 1 and i.
//
// An axis is a dimension of a box's array, counted from the outermost: k, j, i are 0, 1, 2 in 3D, j, i are 0,
// 1 in 2D.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patterns/pattern.hpp"

namespace lift {

/// A problem, in so many dimensions.
struct BoxProblem : Problem {
  int dim;
  /// Interior cells of each dimension, as lengths: Problem::box or its sides, or, when the problem is
  /// symbolic, one size variable (n unless another is set). It is at least 1, and without a ghost zone at
  /// least 2, so that no cell lies at both ends.
  std::vector<Nat> cells;
  /// `multiple`: sizes at run time are multiples of it.
  BoxProblem(const Problem& p, int dimensions, std::int64_t multiple = 1);
};

/// The problem over the same arrays whose boxes are `margin` cells larger on every side, at the expense of
/// their ghost zone, and that has one sweep. Of T sweeps of radius r between two exchanges of ghost zones,
/// sweep t = 0 ... T-1 computes the cells of grown(p, (T-1-t) r): all that later sweeps read of it. Without a
/// ghost zone, p itself.
BoxProblem grown(const BoxProblem& p, std::int64_t margin);

/// UserError for a problem that no operator reading `radius` cells away from a cell can be built for.
void check_box_problem(const Problem& p, int radius = 1);
bool has_ghost_zone(const Problem& p);
/// Ghost cells a side in the arrays: Problem::ghost, or 0 when the boundary condition needs none.
std::int64_t ghost_depth(const Problem& p);
/// How the cells outside a box without ghost zone are found.
Boundary pad_of(const Problem& p);
/// The boundary conditions by name, as --bc takes them.
const std::vector<std::string>& boundary_names();
/// The scalar argument `boundary_value`, of the boundary conditions dirichlet-value (at the face) and
/// constant (of the cells outside); none for the others.
std::optional<Expr> boundary_value(const Problem& p);

/// Interior cells along an axis, and boxes (Problem::boxes, or the size variable `boxes`), as lengths.
inline Nat side(const BoxProblem& p, int axis) { return p.cells[static_cast<std::size_t>(axis)]; }
Nat box_count(const Problem& p);
/// The same as a number, that of the problem when it is symbolic.
inline std::int64_t cells_along(const Problem& p, int axis) {
  return p.sides.empty() ? p.box : p.sides[static_cast<std::size_t>(axis)];
}
bool has_odd_side(const Problem& p);
/// "64", or "100,120,90": what --box was given.
std::string box_text(const Problem& p);
/// "64^3", or "100 x 120 x 90".
std::string box_size(const Problem& p, int dimensions);
/// `side` once a dimension, and `ghost_depth` once a dimension (where the interior starts).
std::vector<Nat> cells_shape(const BoxProblem& p);
std::vector<Nat> interior_offset(const BoxProblem& p);

Type cell_array(const BoxProblem& p);
Type face_array(const BoxProblem& p, int axis);
/// "k", "j" or "i".
std::string axis_name(const BoxProblem& p, int axis);

/// Values that choices may take, the default first.
using Choices = std::map<std::string, std::vector<std::string>>;
/// The value of a choice (the default when the caller made none); UserError for a choice or value that does
/// not exist.
std::string choice(const Problem& p, const std::string& name, const Choices& allowed);

}  // namespace lift
