// What operators between a grid and the coarse one of half as many cells a dimension have in common.
#pragma once

#include "patterns/box_views.hpp"

namespace lift {

/// UserError unless the problem is one that operators between two levels, which read `radius` cells beyond
/// their own, can be built for. `box` is the number of fine cells a dimension.
void check_two_levels(const Problem& p, int radius);
/// The problem of the fine grid: of twice as many cells a dimension as the coarse one, whose number is the
/// size variable n_coarse when the problem is symbolic.
BoxProblem fine_grid(const Problem& p, int dim);
/// The problem of the coarse grid.
BoxProblem coarser(BoxProblem fine);
/// Fills the arguments of transfer operators: fine and coarse cells, faces along `face_axis` (-1: cells), the
/// scalar boundary_value, and the weights of linear interpolation.
void fill_transfer_argument(const BoxProblem& p, int face_axis, const HostArray& argument);

}  // namespace lift
