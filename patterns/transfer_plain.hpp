// Transfer between grids as a C programmer writes it: loops over coarse cells.
#pragma once

#include <string>

#include "patterns/pattern.hpp"

namespace lift {

struct TransferLoops {
  enum class What : std::uint8_t { average, full_weighting, linear_restriction, faces, constant, linear };
  What what;
  int dim;
  int face_axis = 0;       ///< faces: the dimension they are normal to, 0 is the outermost
  bool increment = false;  ///< constant, linear: added to the fine grid
  bool weights = false;    ///< there is an argument `weights` of 2^dim numbers, which is not used

  bool to_coarse() const { return what <= What::faces; }
};

/// C99 source of plain(), see Pattern::plain_c: arguments fine, coarse for restriction and coarse, fine for prolongation.
/// Empty for boundary conditions that it does not know.
std::string transfer_plain(const Problem& p, const TransferLoops& t);

}  // namespace lift
