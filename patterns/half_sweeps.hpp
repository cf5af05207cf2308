// Red-black half-sweeps in place, as a part of operators that do more in the same pass over memory: correct
// before them, compute a residual after them.
#pragma once

#include "patterns/box_cells.hpp"
#include "patterns/plain_loops.hpp"
#include "patterns/stencil.hpp"
#include "patterns/stencil_reference.hpp"

namespace lift {

/// phi = phi + lambda * (rhs - L(phi)) in the cells of p's boxes where (i + j + k + color) % 2 == 0. `box`: a
/// box's phi, rhs, coefficients and lambda. `margin`: by how many cells a side p's boxes are larger than
/// those in which i, j, k begin at 0.
Expr half_sweep_of_box(const BoxProblem& p, const Stencil& L, std::int64_t margin, Parts box,
                       const Expr& color);

/// So many half-sweeps one after the other between two exchanges of ghost zones, as the choice `half-sweeps`
/// of an operator says; 0: it has none of what follows.
class HalfSweeps {
 public:
  static const std::vector<std::string>& numbers();
  /// `beyond`: as many cells around a box as what comes after them reads. UserError for what they cannot be
  /// done for.
  HalfSweeps(const BoxProblem& p, const Stencil& L, const std::string& number, std::int64_t beyond);

  int number() const { return number_; }
  /// Cells around a box that have to be right before them.
  std::int64_t reach() const { return beyond_ + number_; }
  /// The arguments that they need besides phi, rhs and the coefficients: the array before the scalars, the
  /// scalar after them.
  const Expr& lambda() const { return lambda_; }
  const Expr& color() const { return color_; }

  /// let x = ... in after(x), in one box; just the last half-sweep where nothing comes after it.
  Expr in_box(const Expr& phi, const Expr& rhs, Parts coefficients, const Expr& lambda,
              const std::function<Expr(Expr)>& after) const;
  /// Loops over `phi`.
  std::string plain(const PlainLoops& loops, const std::string& phi) const;
  /// In place, of an array that the arguments have under that name.
  template <class T>
  void reference(const std::vector<HostArray>& arguments, const HostArray& phi) const;

 private:
  /// Around the cells of a box, of half-sweep t: those that the later ones read.
  std::int64_t margin(int t) const;

  BoxProblem p_;
  Stencil L_;
  int number_;
  std::int64_t beyond_;
  Expr lambda_, color_;
};

namespace host {

/// A half-sweep over the cells of `p`, a problem whose boxes are `margin` cells larger a side.
template <class T>
void half_sweep(const BoxProblem& p, const Stencil& L, std::int64_t margin, std::int64_t color,
                const std::vector<HostArray>& arguments, const HostArray& array) {
  const double g = boundary_value(p, arguments);
  const StencilReference<T> value(p, L.variable(), L.shape(), arguments);
  const BoxCells<const T> phi(p, array, g), rhs(p, argument(arguments, "rhs")),
      lambda(p, argument(arguments, "lambda"));
  const BoxCells<T> out(p, array, g);
  out.for_cells([&](std::int64_t box, const Position& x) {
    if ((x[0] + x[1] + x[2] - p.dim * margin + color) % 2 == 0)
      out(box, x) = phi(box, x) + lambda(box, x) * (rhs(box, x) - value(phi, box, x));
  });
}

}  // namespace host

template <class T>
void HalfSweeps::reference(const std::vector<HostArray>& arguments, const HostArray& phi) const {
  if (number_ == 0) return;
  const auto color = static_cast<std::int64_t>(host::scalar(arguments, "color"));
  for (int t = 0; t < number_; ++t) {
    const std::int64_t m = margin(t);
    host::half_sweep<T>(grown(p_, m), L_, m, color + t, arguments, phi);
  }
}

}  // namespace lift
