// Transfer between grids as a C programmer writes it: loops over coarse cells.
#pragma once

#include <string>

#include "ir/expr/program.hpp"
#include "patterns/box_problem.hpp"

namespace lift {

struct TransferLoops {
  enum class What : std::uint8_t { average, full_weighting, linear_restriction, faces, constant, linear };
  What what;
  int face_axis = 0;       ///< faces: the dimension they are normal to, 0 is the outermost
  bool increment = false;  ///< constant, linear: added to the fine grid

  bool to_coarse() const { return what <= What::faces; }
};

/// The loops alone, over arrays of these names: they use the macros BOXES, M (coarse cells a dimension), G
/// (ghost cells a side) and SIMD. Only for what does not read outside a box.
std::string transfer_loops(const BoxProblem& fine, const TransferLoops& t, const std::string& fine_name,
                           const std::string& coarse_name);
/// C99 source of plain(), see Pattern::plain_c. `program` says the arguments: fine and coarse, whatever else
/// is not used.
std::string transfer_plain(const BoxProblem& fine, const Program& program, const TransferLoops& t);

}  // namespace lift
