// What the sides of laws are written with: holes for functions and arrays, and sizes of each dimension.
#pragma once

#include <numeric>

#include "ir/expr/build.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift::holes {

inline const Expr f = hole("f"), g = hole("g"), h = hole("h");        ///< functions
inline const Expr xs = hole("xs"), ys = hole("ys"), zs = hole("zs");  ///< arrays
inline const Expr z = hole("z");  ///< what a reduction or a scan begins with

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
