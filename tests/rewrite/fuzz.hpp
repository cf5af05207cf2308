// Testing rules by what they mean: random instances of a left side, the rule applied, the interpreter on both
// sides.
#pragma once

#include <random>
#include <set>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift::test {

/// A program that a rule may apply to.
struct Instance {
  Expr e;
  Arguments arguments;
  Place place;
};

/// Random expressions of small size. Functions capture the scalar `c`, so that rules meet variables of outer
/// binders.
class Gen {
 public:
  explicit Gen(unsigned seed) : random_(seed) {}
  int n(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool coin() { return n(0, 1) == 1; }
  double real() { return std::uniform_real_distribution<double>(-2, 2)(random_); }
  std::vector<Nat> shape(int rank, int low = 1, int high = 4) {
    std::vector<Nat> s;
    for (int d = 0; d < rank; ++d) s.emplace_back(n(low, high));
    return s;
  }
  /// f64, a pair, or a short array.
  Type element() {
    const int k = n(0, 5);
    return k < 3 ? Type(f64) : k < 5 ? Type::tuple({f64, f64}) : Type::array(2, f64);
  }
  /// A new array argument.
  Expr array(const std::vector<Nat>& shape, const Type& element) {
    return param("p" + std::to_string(names_++), lift::array(shape, element));
  }
  Expr array(int length, const Type& element) { return array({Nat(length)}, element); }
  /// A function that depends on all of its argument.
  Expr fun(const Type& in, const Type& out);
  Expr fun2(const Type& acc, const Type& in);  ///< (acc, in) -> acc
  Value value(const Type& t);

 private:
  Expr scalar_from(const Expr& x);
  Expr make_from(const Expr& x, const Type& out);
  std::mt19937 random_;
  int names_ = 0;
};

/// An expression as a program of all its free variables, whose arrays may all be overwritten.
Program whole_program(const Expr& e);

struct Outcome {
  int accepted = 0, refused = 0, wrong = 0;
  int mistyped = 0;             ///< of the refused: the rule took it and made what has another type, or none
  std::set<std::size_t> sides;  ///< which of the rule's sides were used
  std::string first_wrong, first_refused, first_mistyped;
};

/// Applies the rule to instances until `wanted` are accepted (at most 20 times as many are tried); every
/// second one lies inside a map, so that its parts are bound by an outer function.
Outcome check_rule(const Rule& r, const std::function<Instance(Gen&)>& instance, int wanted = 200,
                   unsigned seed = 1);

}  // namespace lift::test
