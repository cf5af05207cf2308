// Loops over the interior cells of all boxes as a C programmer writes them, and reductions by them.
#pragma once

#include <string>

#include "patterns/box_problem.hpp"

namespace lift {

enum class Reduction : std::uint8_t { largest, euclidean, inner };

/// "x[box][k][j][i]"
std::string cell_text(const BoxProblem& p, const std::string& array);

/// What stands where in the loops; the macros BOXES, N and G are used.
struct CellLoops {
  std::string clause = {};  ///< of the parallel pragma
  std::string before_row = {};
  std::string simd;  ///< the line before the innermost loop
  std::string statement;
  std::string after_row = {};
};
std::string cell_loops(const BoxProblem& p, const CellLoops& loops);

/// Reduces x (and, for the inner product, y) to *out in f64; fabs, fmax and sqrt are used.
std::string reduction_loops(const BoxProblem& p, Reduction what, const std::string& x, const std::string& y);

}  // namespace lift
