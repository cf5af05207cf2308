// Random expressions and data of small size, on which rules are held against the interpreter.
#pragma once

#include <random>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/program.hpp"
#include "rewrite/engine/match.hpp"

namespace lift {

/// Functions capture the scalar `c`, so that rules meet variables of outer binders.
class RandomExpressions {
 public:
  /// `readable`: coefficients of few digits. Scalars are f64, or f32.
  explicit RandomExpressions(unsigned seed, Scalar scalar = f64, bool readable = false)
      : random_(seed), scalar_(scalar), readable_(readable) {}
  int n(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool coin() { return n(0, 1) == 1; }
  double real() { return std::uniform_real_distribution<double>(-2, 2)(random_); }
  Scalar scalar() const { return scalar_; }
  std::vector<Nat> shape(int rank, int low = 1, int high = 4) {
    std::vector<Nat> s;
    for (int d = 0; d < rank; ++d) s.emplace_back(n(low, high));
    return s;
  }
  void number_arguments_anew() { names_ = 0; }
  /// A scalar, a pair, or a short array.
  Type element();
  /// A new array argument.
  Expr array(const std::vector<Nat>& shape, const Type& element);
  Expr scalar_argument();
  Expr array(int length, const Type& element) { return array({Nat(length)}, element); }
  /// A function that depends on all of its argument.
  Expr fun(const Type& in, const Type& out);
  Expr fun(const std::vector<Type>& in, const Type& out);
  Expr fun2(const Type& acc, const Type& in);  ///< (acc, in) -> acc
  Value value(const Type& t);

 private:
  double coefficient();
  Expr scalar_from(const Expr& x);
  Expr make_from(const Expr& x, const Type& out);
  Expr numbered(const Expr& i, const Expr& made);
  std::mt19937 random_;
  Scalar scalar_;
  bool readable_;
  int names_ = 0;
};

/// An expression as a program of all its free variables, whose arrays may all be overwritten.
Program whole_program(const Expr& e);

}  // namespace lift
