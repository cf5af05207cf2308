#include "patterns/stencil.hpp"

#include "ir/error.hpp"

namespace lift {

Choices stencil_choices() {
  return {{"coefficients", {"variable", "constant"}}, {"stencil", {"star", "wide", "box"}}};
}

std::vector<double> isotropic_weights(int dim) {
  if (dim == 1) return {-2, 1};
  if (dim == 2) return {-20.0 / 6, 4.0 / 6, 1.0 / 6};
  return {-128.0 / 30, 14.0 / 30, 3.0 / 30, 1.0 / 30};
}

Stencil::Stencil(const BoxProblem& p, const Choices& allowed)
    : Stencil(p, choice(p, "coefficients", allowed) == "variable", choice(p, "stencil", allowed)) {}

Stencil::Stencil(const BoxProblem& p, bool variable, const std::string& shape)
    : p_(p), variable_(variable), shape_(shape), a_(param("a", p.type)), b_h2inv_(param("b_h2inv", p.type)) {
  if (variable_ && shape_ != "star")
    throw UserError("--stencil " + shape_ +
                    ": variable coefficients are on faces, which only the star has; use --stencil star or "
                    "--coefficients constant");
  check_box_problem(p, radius());
  if (!variable_) return;
  coefficients_.push_back(param("alpha", cell_array(p)));
  for (int axis = p.dim; axis-- > 0;)
    coefficients_.push_back(param("beta_" + axis_name(p, axis), face_array(p, axis)));
}

std::vector<Expr> Stencil::scalars() const {
  std::vector<Expr> all{a_, b_h2inv_};
  if (const auto value = boundary_value(p_)) all.push_back(*value);
  return all;
}

std::vector<Expr> Stencil::coefficient_views(Parts coefficients) const {
  std::vector<Expr> views;
  if (coefficients.empty()) return views;
  views.push_back(interior(p_, coefficients[0]));
  for (int axis = p_.dim; axis-- > 0;)
    views.push_back(face_windows(p_, axis, coefficients[static_cast<std::size_t>(p_.dim - axis)]));
  return views;
}

Expr Stencil::operator()(const Expr& window, Parts coefficients) const {
  return variable_ ? variable_at(window, coefficients) : a_ * centre(window) - b_h2inv_ * laplacian(window);
}

Expr Stencil::variable_at(const Expr& window, Parts coefficients) const {
  const Expr c = centre(window);
  Expr fluxes;
  for (int axis = p_.dim; axis-- > 0;) {
    const Expr& beta = coefficients[static_cast<std::size_t>(p_.dim - axis)];
    const Expr up = face(p_, beta, axis, 1) * (along(p_, window, 1, axis, 1) - c);
    fluxes = (fluxes ? fluxes + up : up) - face(p_, beta, axis, 0) * (c - along(p_, window, 1, axis, -1));
  }
  return a_ * coefficients[0] * c - b_h2inv_ * fluxes;
}

Expr Stencil::laplacian(const Expr& window) const {
  const auto add = [](Expr& sum, const Expr& x) { sum = sum ? sum + x : x; };
  const Expr c = centre(window);
  if (shape_ != "box") {
    Expr near, far;
    for (int axis = p_.dim; axis-- > 0;)
      for (const int side : {1, -1}) {
        add(near, along(p_, window, radius(), axis, side));
        if (shape_ == "wide") add(far, along(p_, window, radius(), axis, 2 * side));
      }
    return shape_ == "star" ? near - 2.0 * p_.dim * c : (16.0 * near - far - 30.0 * p_.dim * c) * (1.0 / 12);
  }
  // The cells that differ in the same number of coordinates have one weight.
  std::vector<Expr> sums(static_cast<std::size_t>(p_.dim) + 1);
  std::vector<int> offset(static_cast<std::size_t>(p_.dim), -1);
  for (bool more = true; more;) {
    const auto differing = std::count_if(offset.begin(), offset.end(), [](int o) { return o != 0; });
    add(sums[static_cast<std::size_t>(differing)], in_window(window, 1, offset));
    std::size_t d = offset.size();
    while (d > 0 && offset[d - 1] == 1) offset[--d] = -1;
    more = d > 0;
    if (more) ++offset[d - 1];
  }
  const std::vector<double> w = isotropic_weights(p_.dim);
  Expr sum = w[0] * c;
  for (std::size_t n = 1; n < w.size(); ++n) sum = sum + (w[n] == 1 ? sums[n] : w[n] * sums[n]);
  return sum;
}

}  // namespace lift
