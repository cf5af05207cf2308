// What the g of the conditions mean for the cells beyond the faces.
#pragma once

#include "gmg/domain.hpp"

namespace lift::gmg {

/// Whether some face has a g that is not 0.
bool has_boundary_values(const Domain& domain);
/// Cells and `width` more on each side, row-major: 0 within, and beyond the faces what the conditions make
/// there of cells that are 0. Beyond several faces, each condition in turn.
std::vector<double> boundary_values(const Domain& domain, int width);

}  // namespace lift::gmg
