// Expressions over the arrays of a box problem: over all boxes, and over the cells of one box, whatever its
// dimension and boundary condition.
#pragma once

#include <functional>
#include <span>

#include "ir/expr/build.hpp"
#include "patterns/box_problem.hpp"

namespace lift {

/// What one function of several arrays sees of them: an element (a box, a cell's input) of each.
using Parts = std::span<const Expr>;

/// zip_rank arrays | map_rank(f), without the zip when there is one array.
Expr map_over(int rank, const std::vector<Expr>& arrays, const std::function<Expr(Parts)>& f);
/// zip arrays | map(f): f once a box.
Expr for_boxes(const std::vector<Expr>& arrays, const std::function<Expr(Parts)>& f);
/// The same over the `dim` dimensions of a box's arrays.
Expr for_cells(const BoxProblem& p, const std::vector<Expr>& views, const std::function<Expr(Parts)>& f);
/// `target`, an array of the boxes, with its interior cells replaced by `block` (n^dim).
Expr write_interior(const BoxProblem& p, const Expr& target, const Expr& block);

// From one box's arrays, as they are stored for the problem's boundary condition:

/// n^dim.T: the cells themselves.
Expr interior(const BoxProblem& p, const Expr& cells);
/// (low + n + high)^dim.T: the cells and those around them, from the ghost zone or from a pad.
Expr surrounded(const BoxProblem& p, std::int64_t low, std::int64_t high, const Expr& cells);
/// n^dim.(2 radius + 1)^dim.T: each cell's neighbourhood.
Expr cell_windows(const BoxProblem& p, int radius, const Expr& cells);
/// n^dim with n + 1 faces along `axis`.
Expr interior_faces(const BoxProblem& p, int axis, const Expr& faces);
/// In 3D for i: n.n.n.1.1.2.T, the two faces of each cell along `axis`.
Expr face_windows(const BoxProblem& p, int axis, const Expr& faces);

/// Element of a window at `offset` from its middle, one number a dimension.
Expr in_window(const Expr& window, int radius, const std::vector<int>& offset);
/// Along `axis` alone: window element at distance `steps` from the middle.
Expr along(const BoxProblem& p, const Expr& window, int radius, int axis, int steps);
/// Of a window from face_windows: its lower (0) or upper (1) face.
Expr face(const BoxProblem& p, const Expr& window, int axis, int upper);

}  // namespace lift
