#include "patterns/stencil_plain.hpp"

#include <cstdlib>

namespace lift {

std::string StencilText::describe() const {
  if (variable_) return "variable coefficients";
  const int points = shape_ == "box" ? (p_.dim == 1   ? 3
                                        : p_.dim == 2 ? 9
                                                      : 27)
                                     : 1 + (shape_ == "wide" ? 4 : 2) * p_.dim;
  return "constant coefficients, " + std::to_string(points) + " points";
}

std::vector<int> StencilText::towards(int axis, int steps) const {
  std::vector<int> o(static_cast<std::size_t>(p_.dim), 0);
  o[static_cast<std::size_t>(axis)] = steps;
  return o;
}

std::string StencilText::fluxes(const PlainLoops::Neighbour& phi, const std::string& in) const {
  std::string s;
  for (int axis = p_.dim; axis-- > 0;) {
    const std::string beta = "beta_" + axis_name(p_, axis), c = phi({});
    s += "\n" + in + (s.empty() ? "      " : "    + ") + loops_.cell(beta, axis, 1) + " * (" +
         phi(towards(axis, 1)) + " - " + c + ") - " + loops_.cell(beta) + " * (" + c + " - " +
         phi(towards(axis, -1)) + ")";
  }
  return s;
}

/// The sum of the cells at a distance along the axes.
std::string StencilText::star(const PlainLoops::Neighbour& phi, int distance) const {
  std::string s;
  for (int axis = p_.dim; axis-- > 0;)
    s += (s.empty() ? "" : " + ") + phi(towards(axis, distance)) + " + " + phi(towards(axis, -distance));
  return s;
}

/// The sums of the cells that differ in one, two, three coordinates.
std::string StencilText::box(const PlainLoops::Neighbour& phi, const std::string& in) const {
  constexpr const char* weights[3][3] = {{"1", "", ""}, {"4", "1", ""}, {"14", "3", "1"}};
  std::string s;
  for (int n = 1; n <= p_.dim; ++n) {
    std::string sum;
    const int k1 = p_.dim > 2 ? 1 : 0, j1 = p_.dim > 1 ? 1 : 0;
    for (int k = -k1; k <= k1; ++k)
      for (int j = -j1; j <= j1; ++j)
        for (int i = -1; i <= 1; ++i) {
          if (std::abs(k) + std::abs(j) + std::abs(i) != n) continue;
          const int all[] = {k, j, i};
          sum += (sum.empty() ? "" : " + ") + phi(std::vector<int>(all + 3 - p_.dim, all + 3));
        }
    s += "\n" + in + (n > 1 ? "    + " : "      ") + weights[p_.dim - 1][n - 1] + " * (" + sum + ")";
  }
  constexpr const char* middle[] = {"2", "20", "128"};
  return s + "\n" + in + "    - " + middle[p_.dim - 1] + " * " + phi({});
}

std::string StencilText::operator()(const PlainLoops::Neighbour& phi, const std::string& in) const {
  if (variable_)
    return "a * " + loops_.cell("alpha") + " * " + phi({}) + " - b_h2inv * (" + fluxes(phi, in) + ")";
  const std::string head = "a * " + phi({}) + " - b_h2inv * (";
  if (shape_ == "star")
    return head + star(phi, 1) + " - " + std::to_string(2 * p_.dim) + " * " + phi({}) + ")";
  if (shape_ == "wide")
    return head + "\n" + in + "      16 * (" + star(phi, 1) + ")\n" + in + "    - (" + star(phi, 2) + ")\n" +
           in + "    - " + std::to_string(30 * p_.dim) + " * " + phi({}) + ") / 12";
  constexpr const char* scale[] = {"", " / 6", " / 30"};
  return head + box(phi, in) + ")" + scale[p_.dim - 1];
}

}  // namespace lift
