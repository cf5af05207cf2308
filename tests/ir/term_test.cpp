// Scalar terms: arithmetic on constants.
#include <doctest/doctest.h>

#include "ir/expr/term.hpp"

using namespace lift;

namespace term_test {

TEST_CASE("arithmetic on floating-point constants is done, in the operands' precision") {
  const auto f = [](Op op, double a, double b, Scalar t) {
    return apply_term(op, t, {constant_term(a, t), constant_term(b, t)});
  };
  CHECK(f(Op::Mul, 0.25, 0.75, f64) == constant_term(0.1875, f64));
  CHECK(f(Op::Add, 0.1, 0.2, f64) == constant_term(0.1 + 0.2, f64));
  CHECK(f(Op::Sub, 0.1F, 0.3F, f32) == constant_term(0.1F - 0.3F, f32));
  CHECK(f(Op::Mul, 0.1F, 0.1F, f32) == constant_term(static_cast<double>(0.1F * 0.1F), f32));
  CHECK(f(Op::Add, 0.1F, 0.1F, f32)->number != 0.1 + 0.1);
}

TEST_CASE("what has no spelling as a literal, or is not constant, stays an operation") {
  const Term huge = constant_term(1e300, f64), x = argument_term("x", f64);
  CHECK(apply_term(Op::Mul, f64, {huge, huge})->kind == TermKind::Apply);
  CHECK(apply_term(Op::Add, f64, {constant_term(0, f64), x})->kind == TermKind::Apply);  // -0.0 + 0.0 is 0.0
}

TEST_CASE("a variable is replaced in positions, and in the conditions of masks that have no positions") {
  const Nat i = Nat::fresh("i", 0, 9);
  TermNode node;
  node.kind = TermKind::Lanes, node.type = boolean, node.width = 2, node.conds = {less(i, 4), less(i + 1, 4)};
  const Term mask = intern(node);
  CHECK(substitute(mask, i, 2)->conds == std::vector{less(2, 4), less(3, 4)});
  CHECK(substitute(load_term("x", {i, i + 1}, f64), i, 2) == load_term("x", {2, 3}, f64));
  CHECK(substitute(mask, Nat::fresh("j", 0, 9), 2) == mask);
}

}  // namespace term_test
