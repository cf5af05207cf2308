// Smoothing by lines: all cells of a line along one axis are relaxed at once, by a tridiagonal solve, and
// lines go colour by colour (zebra). For A whose coupling along that axis is much the strongest.
//
// A line's matrix is what A has between cells of the line: three numbers a cell, which are A of indicators,
// as the diagonal is, conditions at the faces counted.
#pragma once

#include "gmg/kernel.hpp"
#include "gmg/operators.hpp"
#include "gmg/tune.hpp"

namespace lift::gmg {

/// UserError: A reads further than a cell along the lines; the axis is periodic, whose lines have no ends; it
/// is the only one.
void check_lines(const Equation& equation, std::size_t dimension);
/// What A has of the cell below along the dimension, of the cell itself, of the cell above: the sides -1, 0
/// and 1. 0 where there is none.
Program line_matrix_program(const Grid& g, std::size_t dimension, int side);
/// The solutions of all lines' systems: arguments below, at, above and the right-hand side r.
Program line_solution_program(const Grid& g, std::size_t dimension);
/// u + weight * e in the cells of lines of one colour, in place; the colour's numbers are color0, ...
Program line_update_program(const Grid& g, const Colours& colours);

/// The smoother of a level: its arrays and kernels.
class LineSmoother {
 public:
  /// UserError: check_lines.
  LineSmoother(const Grid& grid, std::size_t dimension);
  LineSmoother(const LineSmoother&) = delete;
  LineSmoother& operator=(const LineSmoother&) = delete;

  const Colours& colours() const { return colours_; }
  void add_needed(std::vector<LaterKernel*>& to);
  void add_sweeps(int sweeps, std::vector<CycleKernel>& to);
  /// After coefficients have changed. `level`: u, f, coefficients, numbers; they stay where they are.
  void refresh(const Arguments& level);
  void smooth(int sweeps);
  double bytes_of_sweep() const { return bytes_of_sweep_; }

 private:
  Grid grid_;
  Colours colours_;
  std::map<std::string, Buffer> arrays_;  ///< below, at, above; r; e
  std::map<std::string, std::int32_t> indices_;
  LaterKernel matrix_[3], residual_, solution_, update_;
  std::optional<Kernel::Bound> bound_residual_, bound_solution_, bound_update_;
  double bytes_of_sweep_ = 0;
};

}  // namespace lift::gmg
