// L(phi) computed cell by cell from its formulas (patterns/stencil.hpp), for references.
#pragma once

#include <cstdlib>
#include <optional>

#include "patterns/box_cells.hpp"

namespace lift::host {

template <class T>
class StencilReference {
 public:
  using Cells = BoxCells<const T>;

  /// `shape`: star, wide or box; `variable`: reads alpha and beta.
  StencilReference(const BoxProblem& p, bool variable, const std::string& shape,
                   const std::vector<HostArray>& arguments)
      : first_(static_cast<std::size_t>(3 - p.dim)),
        shape_(shape),
        a_(static_cast<T>(scalar(arguments, "a"))),
        b_h2inv_(static_cast<T>(scalar(arguments, "b_h2inv"))) {
    if (!variable) return;
    alpha_.emplace(p, argument(arguments, "alpha"));
    constexpr const char* names[] = {"beta_k", "beta_j", "beta_i"};
    for (std::size_t d = first_; d < 3; ++d) beta_[d].emplace(p, argument(arguments, names[d]));
  }

  T operator()(const Cells& phi, std::int64_t box, const Position& x) const {
    const T here = phi(box, x);
    if (!alpha_) return a_ * here - b_h2inv_ * laplacian(phi, box, x);
    T fluxes = 0;
    for (std::size_t d = first_; d < 3; ++d) {
      const Position up = moved(x, d, 1), down = moved(x, d, -1);
      fluxes += (*beta_[d])(box, up) * (phi.anywhere(box, up) - here) -
                (*beta_[d])(box, x) * (here - phi.anywhere(box, down));
    }
    return a_ * (*alpha_)(box, x) * here - b_h2inv_ * fluxes;
  }

 private:
  static Position moved(Position x, std::size_t d, std::int64_t by) {
    x[d] += by;
    return x;
  }

  T laplacian(const Cells& phi, std::int64_t box, const Position& x) const {
    T sum = 0;
    if (shape_ == "box") {
      // times 1, 6, 30: weights of the cell itself, and those that differ from it in 1, 2, 3 coordinates
      static constexpr double weights[3][4] = {{-2, 1, 0, 0}, {-20, 4, 1, 0}, {-128, 14, 3, 1}},
                              scale[3] = {1, 6, 30};
      const std::size_t dim = 3 - first_;
      for (int k = -(dim > 2); k <= (dim > 2); ++k)
        for (int j = -(dim > 1); j <= (dim > 1); ++j)
          for (int i = -1; i <= 1; ++i)
            sum += static_cast<T>(weights[dim - 1][std::abs(k) + std::abs(j) + std::abs(i)]) *
                   phi.anywhere(box, {x[0] + k, x[1] + j, x[2] + i});
      return sum / static_cast<T>(scale[dim - 1]);
    }
    for (std::size_t d = first_; d < 3; ++d) {
      const auto at = [&](std::int64_t by) { return phi.anywhere(box, moved(x, d, by)); };
      sum += shape_ == "star" ? at(1) - 2 * at(0) + at(-1)
                              : (-at(2) + 16 * at(1) - 30 * at(0) + 16 * at(-1) - at(-2)) / 12;
    }
    return sum;
  }

  std::size_t first_;  ///< axis of three
  std::string shape_;
  T a_, b_h2inv_;
  std::optional<Cells> alpha_, beta_[3];
};

/// The problem's boundary_value, or 0 when it has none.
inline double boundary_value(const Problem& p, const std::vector<HostArray>& arguments) {
  return lift::boundary_value(p) ? scalar(arguments, "boundary_value") : 0;
}

}  // namespace lift::host
