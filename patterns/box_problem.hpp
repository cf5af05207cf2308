// What the 3D operators on boxes have in common: their arrays and their data.
//
// Arrays are [box][k][j][i], i of unit stride. With the ghost boundary, every box of n^3 cells carries a ghost zone of
// g cells a side and all arrays have side n + 2g. With the other boundaries boxes have no ghost zone: cell-centred
// arrays have side n, and face-centred ones n + 1 along their own axis. beta_i[k][j][i] is the face between the cells
// i - 1 and i.
#pragma once

#include <string>
#include <vector>

#include "patterns/pattern.hpp"

namespace lift {

enum class Axis : int { k, j, i };

/// UserError for a problem that no 3D operator of stencil radius 1 can be built for.
void check_box_problem(const Problem& p);
bool has_ghost_zone(const Problem& p);
/// Ghost cells a side in the arrays: Problem::ghost, or 0 when the boundary condition needs none.
std::int64_t ghost_depth(const Problem& p);
/// How the cells outside a box without ghost zone are found.
Boundary pad_of(const Problem& p);

Type cell_array(const Problem& p);
Type face_array(const Problem& p, Axis axis);

/// The value of a choice (the default when the caller made none); UserError for a choice or value that does not exist.
std::string choice(const Problem& p, const std::string& name,
                   const std::map<std::string, std::vector<std::string>>& allowed);

/// Fills an argument by its name: phi, next (as phi), rhs, alpha, beta_i, beta_j, beta_k, lambda, and the scalars
/// a = 1, b_h2inv = 1/2, w = 2/3, color = 0. Each array samples, at its cells' or faces' centres and also in the ghost
/// zone, a function that is smooth and periodic over a box; alpha and beta lie within [0.7, 1.3].
/// lambda = 1 / (a * alpha + b_h2inv * (sum of beta over the cell's six faces)), the inverse diagonal of an interior cell.
void fill_box_argument(const Problem& p, const HostArray& argument);

}  // namespace lift
