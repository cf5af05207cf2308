// What the sides of laws are written with: holes for functions and arrays, and sizes of each dimension.
#pragma once

#include <numeric>

#include "ir/expr/build.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift::holes {

/// Made before anything that a program initialises: kernels at its namespace scope need the rules then
/// (rules.cpp).
namespace made {
inline constinit Expr f, g, h, xs, ys, zs, a, b, c, z;
}
inline constexpr const Expr &f = made::f, &g = made::g, &h = made::h;        ///< functions
inline constexpr const Expr &xs = made::xs, &ys = made::ys, &zs = made::zs;  ///< arrays
inline constexpr const Expr &a = made::a, &b = made::b, &c = made::c;        ///< values
inline constexpr const Expr& z = made::z;  ///< what a reduction or a scan begins with

/// Sizes name<from> ... name<to - 1>, one a dimension.
inline std::vector<Nat> nats(const std::string& name, int from, int to) {
  std::vector<Nat> v;
  for (int d = from; d < to; ++d) v.push_back(nat_hole(name + std::to_string(d)));
  return v;
}
inline std::vector<Nat> nats(const std::string& name, int rank) { return nats(name, 0, rank); }

/// The permutation that moves the last of d dimensions to the front.
inline std::vector<int> last_to_first(int d) {
  std::vector<int> p{d - 1};
  for (int i = 0; i + 1 < d; ++i) p.push_back(i);
  return p;
}

}  // namespace lift::holes
