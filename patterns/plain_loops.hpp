// Loops over the cells of a box problem as a C programmer writes them, as C99 text: the frame of
// Pattern::plain_c.
//
// With the ghost boundary they are affine loops over multi-dimensional arrays. Without ghost zone, the rows
// outside the box are chosen before the inner loop, and its first and last cells are peeled.
#pragma once

#include <functional>
#include <string>

#include "ir/expr/program.hpp"
#include "patterns/box_problem.hpp"

namespace lift {

/// Ghost values change sign, or are made with a number: what cells outside a box are read with, factor(x) and
/// addend(x, value).
inline bool is_odd(const BoxProblem& p) {
  return p.boundary == "dirichlet" || p.boundary == "dirichlet-value";
}
inline bool is_valued(const BoxProblem& p) { return boundary_value(p).has_value(); }

/// The macros BOXES, those of `cells` (lines that say how many there are), G and SIMD, and the type `real`.
std::string plain_macros(const BoxProblem& p, const std::string& cells);
/// How loops call the number of cells along an axis: `name` in cubes, else with the axis: NK, NJ, NI.
std::string axis_macro(const BoxProblem& p, const std::string& name, int axis);
/// A line #define for each of these: its text is of(axis), `what` says what it counts.
std::string axis_macros(const BoxProblem& p, const std::string& name, const std::string& what,
                        const std::function<std::string(int axis)>& of);
/// The functions inside(x), factor(x) and addend(x, value) as far as the boundary condition needs them, for
/// cells up to `radius` outside N cells; in boxes that are no cubes N is an argument after x.
std::string plain_outside(const BoxProblem& p, int radius);
/// The arguments x and N of these.
std::string outside_arguments(const BoxProblem& p, const std::string& x, int axis);
/// The parameters of plain(), in the program's order; what it may overwrite is not const. `length`: of an
/// inner dimension.
std::string plain_parameters(
    const Program& program,
    const std::function<std::string(const Nat&)>& length = [](const Nat& n) { return n.str(); });

class PlainLoops {
 public:
  /// `radius`: how far from a cell neighbours are read.
  PlainLoops(const BoxProblem& p, int radius) : p_(p), radius_(radius) {}

  /// Loops over the cells of grown(p, margin).
  PlainLoops grown(std::int64_t margin) const {
    PlainLoops r = *this;
    r.margin_ = has_ghost_zone(p_) ? margin : 0;
    return r;
  }

  /// A comment, the sizes, and what finds cells outside a box.
  std::string header(const std::string& what) const;
  /// void plain(...) { body }, the arguments in the program's order; what it may overwrite is not const.
  std::string function(const Program& program, const std::string& body) const;

  /// The text of the swept array's element at an offset (one number an axis; none: the cell itself).
  using Neighbour = std::function<std::string(const std::vector<int>& offset)>;
  /// Loops over all cells of all boxes, in parallel. `array`: whose neighbours are read. `color`: restricts
  /// the sweep to (i + j + k + color) % 2 == 0, unless it is empty. `statement(neighbour, indentation)`: a
  /// cell's statement, a line or more.
  std::string sweep(
      const std::string& array, const std::string& color,
      const std::function<std::string(const Neighbour&, const std::string& in)>& statement) const;

  /// name[box][k][j][i], or `steps` further along an axis.
  std::string cell(const std::string& name, int axis = 0, int steps = 0) const;

 private:
  std::string guard(const std::string& color) const;
  std::string first() const;         ///< of the interior cells, along each axis
  std::string past(int axis) const;  ///< the one after the last
  std::string count(int axis) const { return axis_macro(p_, "N", axis); }
  std::string loop(int axis, const std::string& from, const std::string& to) const;
  std::string ghost_sweep(
      const std::string& array, const std::string& color,
      const std::function<std::string(const Neighbour&, const std::string&)>& statement) const;
  std::string boundary_sweep(
      const std::string& array, const std::string& color,
      const std::function<std::string(const Neighbour&, const std::string&)>& statement) const;
  std::string outer_loops(
      std::string& in) const;  ///< the loops around the innermost; `in` becomes their body's indentation
  std::string neighbours(int axis, const std::string& in) const;  ///< declares im1, ip1, ...
  std::string outside(const std::string& array, const std::vector<int>& offset, bool edge) const;
  bool over_cells() const {
    return p_.dim == 1 && p_.boxes == 1;
  }  ///< the only loop worth sharing is the innermost

  BoxProblem p_;
  int radius_;
  std::int64_t margin_ = 0;
};

}  // namespace lift
