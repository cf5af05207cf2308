// The library's operators as programs for lift::compile and lift::explore. Arguments come in the order that
// docs/operators.md lists; `liftgen list` prints it, too.
//
//   auto residual = lift::compile<void(View phi, View rhs, View alpha, View beta_k, ..., double a, double
//   b)>(
//       lift::operators::residual({.boundary = "periodic"}));
#pragma once

#include <algorithm>

#include "patterns/operator_program.hpp"

namespace lift::operators {

/// Which of an operator's forms. Arrays are boxes.(n + 2 ghost)..., row-major; any size that comes with them.
struct Options {
  int dimensions = 3;
  Scalar type = f64;
  std::string boundary = "ghost";                   ///< as `--bc`
  std::int64_t ghost = 1;                           ///< cells of each box's ghost zone
  std::map<std::string, std::string> choices = {};  ///< {{"coefficients", "constant"}}; the first value of
                                                    ///< each otherwise
  /// Interior cells along each dimension, outermost first; empty: cubes of any size.
  std::vector<std::int64_t> cells = {};
  std::int64_t boxes = 1;  ///< with `cells`
};

namespace detail {
inline Program of(std::string name, const Options& o, bool in_dimensions = true) {
  Problem p;
  p.type = o.type, p.boundary = o.boundary, p.ghost = o.ghost, p.choices = o.choices;
  p.symbolic = o.cells.empty();
  if (!p.symbolic) {
    p.sides = o.cells, p.boxes = o.boxes, p.box = o.cells.front();
    for (const std::int64_t n : o.cells) p.box = std::min(p.box, n);
    if (std::all_of(o.cells.begin(), o.cells.end(), [&](std::int64_t n) { return n == p.box; })) p.sides = {};
  }
  return operator_program(in_dimensions ? name + std::to_string(o.dimensions) + "d" : name, p);
}
}  // namespace detail

// Each: UserError for a form that there is not. Formulas, arguments and choices: docs/operators.md.
inline Program smooth(const Options& o = {}) { return detail::of("smooth", o); }
inline Program apply(const Options& o = {}) { return detail::of("apply", o); }
inline Program residual(const Options& o = {}) { return detail::of("residual", o); }
inline Program lambda(const Options& o = {}) { return detail::of("lambda", o); }
inline Program restriction(const Options& o = {}) { return detail::of("restriction", o); }
inline Program prolongation(const Options& o = {}) { return detail::of("prolongation", o); }
inline Program prolongation_correction(const Options& o = {}) {
  return detail::of("prolongation_correction", o);
}
inline Program residual_restriction(const Options& o = {}) { return detail::of("residual_restriction", o); }
inline Program residual_norm(const Options& o = {}) { return detail::of("residual_norm", o); }
inline Program norm(const Options& o = {}) { return detail::of("norm", o); }
inline Program dot(const Options& o = {}) { return detail::of("dot", o); }
inline Program axpy(const Options& o = {}) { return detail::of("axpy", o); }
inline Program scale(const Options& o = {}) { return detail::of("scale", o); }
inline Program shift(const Options& o = {}) { return detail::of("shift", o); }
inline Program thomas(const Options& o = {}) { return detail::of("thomas", o, false); }
inline Program vertical_advection(const Options& o = {}) {
  return detail::of("vertical_advection", o, false);
}
inline Program fillz(const Options& o = {}) { return detail::of("fillz", o, false); }
inline Program horizontal_diffusion(const Options& o = {}) {
  return detail::of("horizontal_diffusion", o, false);
}

}  // namespace lift::operators
