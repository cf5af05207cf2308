// Type errors name the primitive, what it was given and what to try, with the line that asked.
#include <doctest/doctest.h>

#include "ir/build.hpp"
#include "ir/ops.hpp"

using namespace lift;

namespace {

const Expr xs = param("xs", array({6}, f64)), ys = param("ys", array({5}, f64)), m = param("m", array({4, 6}, f64));

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const TypeError& e) {
    return e.what();
  }
  return "no error";
}
void expect(const std::function<void()>& f, const std::string& part) {
  const std::string got = message(f);
  INFO(got);
  CHECK(got.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("types of primitives") {
  const Nat n = Nat::size("n");
  const Expr u = param("u", array({n, n}, f64));
  CHECK((u | slide2(3, 1)).type().str() == "(n - 2).(n - 2).3.3.f64");
  CHECK((u | pad2(1, 1, clamp)).type().str() == "(n + 2).(n + 2).f64");
  CHECK(zip({xs, xs}).type().str() == "6.{f64, f64}");
  CHECK(split({Nat(2)}, xs).type() == array({3, 2}, f64));
  CHECK(join(m).type() == array({24}, f64));
  CHECK(transpose(m).type() == array({6, 4}, f64));
  CHECK((m | map([](Expr r) { return r | sum(); })).type() == array({4}, f64));
  CHECK(interleave({xs, xs}).type() == array({12}, f64));
}

TEST_CASE("errors of structure") {
  expect([] { zip({xs, ys}); }, "zip: lengths differ: 6 and 5 (of 6.f64 and 5.f64); drop or pad the arrays to the same lengths");
  expect([] { split({Nat(4)}, xs); }, "split: 4 does not divide the length 6 of 6.f64; pad to a multiple first, or choose a divisor");
  expect([] { xs | slide(7, 1); }, "slide: window of 7 is longer than the length 6 of 6.f64");
  expect([] { xs | slide(3, 2); }, "slide: windows of 3 with step 2 do not end with the length 6");
  expect([] { xs | drop(4, 3); }, "drop: removes 7 of 6 elements; remove fewer");
  expect([] { join(xs); }, "join: needs an array of rank 2, got 6.f64");
  expect([] { xs | pad(7, 0, mirror); }, "pad: a width of 7 reflects past the length 6");
  expect([] { m | pad(1, 1, odd); }, "pad: odd needs floating-point elements, got 6.f64");
  expect([] { transpose({0, 0}, m); }, "transpose: not a permutation");
  expect([] { concat(xs, m); }, "concat: the second array's element has type 6.f64, expected f64");
  expect([] { interleave({xs, ys}); }, "interleave: an argument has type 5.f64, expected 6.f64");
  expect([] { update(xs, {Nat(3)}, ys); }, "update: a block of 5 at 3 does not fit into 6.f64");
  expect([] { xs[6]; }, "at: position 6 is outside 6.f64; positions count from 0");
  expect([] { get(2, tuple({xs, ys})); }, "get: component 2 of {6.f64, 5.f64}");
}

TEST_CASE("errors of functions and scalars") {
  const Expr increment = fun(Type(f64), [](Expr x) { return x + 1.0; });
  expect([&] { m | map(increment); }, "map: the array's element has type 6.f64, expected f64");
  expect([&] { apply(increment, {xs[0], xs[1]}); }, "apply: a function of 1 parameters got 2 arguments");
  expect([] { xs + 1.0; }, "literal: a number beside 6.f64; scalar arithmetic needs scalars: map it over the array");
  expect([] { xs[0] + literal(1, f32); }, "add: an operand has type f32, expected f64; cast one operand to the other's type");
  expect([] { select(xs[0], xs[1], xs[2]); }, "select: the condition has type f64, expected bool; use a comparison");
  expect([] { select(xs[0] < 1.0, xs, xs); }, "select: needs scalar alternatives, got 6.f64; map the select over the arrays");
  expect([] { reduce(fun({Type(f64), Type(f64)}, [](Expr a, Expr b) { return a < b; }), literal(0, f64), xs); }, "reduce: the result of f has type bool, expected f64");
  expect([] { iterate(2, fun(xs.type(), [](Expr x) { return x | drop(1, 0); }), xs); }, "iterate: the result of f has type 5.f64, expected 6.f64");
  const UserFun half("half", {{"x", f64}}, f64, "return x / 2;", [](std::span<const double> a) { return a[0] / 2; });
  expect([&] { half(literal(1, f32)); }, "user_fun: argument x of half has type f32, expected f64; cast the argument");
}

TEST_CASE("an error says which line asked") {
  const std::string text = message([] { zip({xs, ys}); });
  CHECK(text.find("typing_test.cpp:") != std::string::npos);
}
