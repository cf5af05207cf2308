// Arithmetic in C: types of numbers, and indices with the functions that they call.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ir/expr/type.hpp"
#include "ir/nat/nat.hpp"

namespace lift {

/// The type of a number; of a truth value outside arrays.
std::string c_type(Scalar s);
/// Of an element of an array: truth values take a byte.
std::string c_element_type(Scalar s);
/// The helper that divides whole numbers of the type, or gives the remainder (`what`: div, mod), rounding
/// down.
std::string floor_function(const std::string& what, Scalar s);

/// A piece of C and how tightly its outermost operator binds.
struct Text {
  std::string s;
  int precedence;  ///< 1 ternary, 2 or, 3 and, 4 comparison, 6 sum, 7 product, 8 unary, 9 atom
  std::string in(int minimum) const { return precedence < minimum ? "(" + s + ")" : s; }
};

/// What C has no sign for: min, max, and div and mod of what may be negative, of two operands.
using IndexFunction =
    std::function<std::string(const std::string& function, const std::string& a, const std::string& b)>;
/// An index as C. `name` spells its variables, `function` what there is no sign for. `bits`: remainders by
/// powers of two may be bit operations.
Text index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name,
                const IndexFunction& function, bool bits = true);
/// The same with calls of helper functions, those named in `helpers` then; see index_helpers.
Text index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name,
                std::set<std::string>& helpers, bool bits = true);

/// Helper functions of C for Euclidean division and the like, those named in `helpers`; indices are of type
/// `index`.
std::string index_helpers(const std::set<std::string>& helpers, const std::string& qualifier,
                          const std::string& index = "long");

}  // namespace lift
