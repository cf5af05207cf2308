// Type errors name the primitive, what it was given and what to try, with the line that asked.
#include <doctest/doctest.h>

#include <source_location>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace typing_test {
namespace {

const Expr xs = param("xs", array({6}, f64)), ys = param("ys", array({5}, f64)),
           m = param("m", array({4, 6}, f64)), flags = param("flags", array({6}, boolean));
const Expr increment = fun(Type(f64), [](Expr x) { return x + 1.0; });

// Before version 16, clang takes the place of the declaration for that of the call in a default argument.
#if defined(__clang__) && __clang_major__ < 16
constexpr bool knows_lines = false;
#else
constexpr bool knows_lines = true;
#endif

/// The line of this file that an error names; 0 for none.
int line_in(const std::string& message) {
  const std::string file = "typing_test.cpp:";
  const std::size_t at = message.rfind(file);
  return at == std::string::npos ? 0 : std::stoi(message.substr(at + file.size()));
}

/// f fails with this message, which ends with the line of f: that of `expect`, or one of the three below it.
void expect(const std::function<void()>& f, const std::string& part,
            std::source_location here = std::source_location::current()) {
  const std::string got = test::message<TypeError>(f, "no error");
  INFO(got);
  CHECK(got.rfind(part, 0) == 0);
  if (!knows_lines) return;
  const int after = line_in(got) - static_cast<int>(here.line());
  CHECK(after >= 0);
  CHECK(after <= 3);
}
Expr of(Op op, const std::vector<Expr>& children,
        std::source_location where = std::source_location::current()) {
  return make(op, children, {}, where);
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

TEST_CASE("errors of tuples and arrays of them") {
  expect(
      [] {
        zip({xs, ys});
      },
      "zip: lengths differ: 6 and 5 (of 6.f64 and 5.f64); drop or pad the arrays to the same lengths");
  expect(
      [] {
        zip_n(2, {m, xs});
      },
      "zip: needs an array of rank 2, got 6.f64; apply it inside map, or use the form of lower rank");
  expect([] { unzip(xs); }, "unzip: needs an array of tuples, got 6.f64; zip arrays first");
  expect(
      [] {
        get(2, tuple({xs, ys}));
      },
      "get: component 2 of {6.f64, 5.f64}; the argument must be a tuple with that many components");
  expect([] { get(-1, tuple({xs, ys})); }, "get: component -1 of {6.f64, 5.f64}");
  expect([] { get(0, xs); }, "get: component 0 of 6.f64");
  expect([] { xs[6]; }, "at: position 6 is outside 6.f64; positions count from 0");
  expect([] { xs[-1]; }, "at: position -1 is outside 6.f64; positions count from 0");
  expect([] { at({3, 6}, m); }, "at: position 3, 6 is outside 4.6.f64");
  expect([] { xs[0][0]; }, "at: needs an array of rank 2, got 6.f64");
}

TEST_CASE("errors of cutting arrays up") {
  expect([] { split({Nat(4)}, xs); },
         "split: 4 does not divide the length 6 of 6.f64; pad to a multiple first, or choose a divisor");
  expect([] { split({Nat(0)}, xs); }, "split: chunk length 0 is not positive; choose a length of 1 or more");
  expect([] { split({Nat(2), Nat(2)}, xs); }, "split: needs an array of rank 2, got 6.f64");
  expect([] { join(xs); }, "join: needs an array of rank 2, got 6.f64");
  expect([] { join_n(2, m); }, "join: needs an array of rank 4, got 4.6.f64");
  expect([] { xs | slide(7, 1); },
         "slide: window of 7 is longer than the length 6 of 6.f64; pad the array or make the window smaller");
  expect([] { xs | slide(3, 2); },
         "slide: windows of 3 with step 2 do not end with the length 6; pad or drop so that (length - size) "
         "is a multiple of the step");
  expect([] { xs | slide(3, 0); }, "slide: step 0 is not positive; choose a step of 1 or more");
  expect([] { xs | slide(0, 1); }, "slide: window size 0 is not positive; choose a size of 1 or more");
  expect([] { xs | slide2(1, 1); }, "slide: needs an array of rank 2, got 6.f64");
  expect([] { transpose({0, 0}, m); }, "transpose: not a permutation; name each of 0..1 once");
  expect([] { transpose({0, 2}, m); }, "transpose: not a permutation; name each of 0..1 once");
  expect([] { transpose(xs); }, "transpose: needs an array of rank 2, got 6.f64");
}

TEST_CASE("errors of boundaries") {
  expect([] { xs | drop(4, 3); }, "drop: removes 7 of 6 elements; remove fewer");
  expect([] { xs | drop(-1, 0); }, "drop: negative width -1; use pad to add elements");
  expect([] { xs | take(7); }, "drop: negative width -1; use pad to add elements");
  expect([] { xs | drop2(1, 1); }, "drop: needs an array of rank 2, got 6.f64");
  expect([] { reverse_n(2, xs); }, "reverse: needs an array of rank 2, got 6.f64");
  expect([] { xs | pad(-1, 0, clamp); }, "pad: negative width -1; use drop to remove elements");
  expect([] { xs | pad(0, -2, clamp); }, "pad: negative width -2; use drop to remove elements");
  expect([] { xs | pad(7, 0, mirror); },
         "pad: a width of 7 reflects past the length 6; pad no more than the length");
  xs | pad(5, 5, reflect);
  expect(
      [] { xs | pad(0, 6, reflect); },
      "pad: a width of 6 reflects past the length 6, whose last element is not repeated; pad less than the "
      "length, or use mirror");
  expect([] { xs | pad(0, 7, odd); },
         "pad: a width of 7 reflects past the length 6; pad no more than the length");
  expect([] { m | pad(1, 1, odd); },
         "pad: odd needs floating-point elements, got 6.f64; pad the innermost arrays of numbers");
  expect([] { m | pad(1, 1, constant, 1); },
         "pad: constant needs numbers as elements, got 6.f64; pad the innermost arrays of numbers");
  expect([] { flags | pad(1, 1, constant, 2); }, "pad: the elements are bool, and cannot be 2; pass 0 or 1");
  expect([] { iota(6) | pad(1, 1, constant, 0.5); },
         "pad: the elements are i32, and cannot be 0.5; pass a whole number");
  expect([] { xs | pad_n(1, 1, 1, odd, literal(1, f32)); },
         "pad: the value has type f32, expected f64; pass a scalar of the elements' type");
  expect([] { xs | pad_n(1, 1, 1, clamp, literal(1, f64)); },
         "pad: clamp takes no value; use odd or constant");
  expect([] { xs | pad2(1, 1, clamp); }, "pad: needs an array of rank 2, got 6.f64");
}

TEST_CASE("errors of positions that are computed") {
  const Expr i = param("i", i32), x = param("x", f64);
  CHECK(gather({i, i}, m, clamp).type() == Type(f64));
  CHECK(gather(i, m, wrap).type() == array({6}, f64));
  CHECK(gather(iota(5), m).type() == array({5, 6}, f64));
  expect([&] { gather(x, xs, clamp); },
         "gather: position 0 has type f64, expected i32; convert it, i32(floor(x)) or i32(round(x))");
  expect([&] { gather({i, i}, xs, clamp); }, "gather: needs an array of rank 2, got 6.f64");
  expect([&] { gather(i, xs, odd); },
         "gather: odd is a condition of pad; use clamp, wrap, mirror, reflect or constant VALUE");
  expect(
      [&] { gather(i, m, constant, 1); },
      "gather: constant needs numbers as elements, got 6.f64; gather a number for each dimension, or clamp");
  expect([&] { gather(i, xs, constant, literal(1, f32)); },
         "gather: the value has type f32, expected f64; pass a scalar of the elements' type");
  expect([&] { gather(i, flags, constant, 2); },
         "gather: the elements are bool, and cannot be 2; pass 0 or 1");
  expect([&] { gather(i, param("none", array({0}, f64)), clamp); }, "gather: there is no element in 0.f64");
}

TEST_CASE("errors of putting arrays together") {
  expect(
      [] { concat(xs, m); },
      "concat: the second array's element has type 6.f64, expected f64; concat arrays of one element type");
  expect([] { concat(xs, xs[0]); }, "concat: needs an array of rank 1, got f64");
  expect(
      [] {
        interleave({xs, ys});
      },
      "interleave: an argument has type 5.f64, expected 6.f64; interleave arrays of one type");
  expect([] { interleave({xs[0]}); }, "interleave: needs an array of rank 1, got f64");
  expect([] { update(xs, {Nat(3)}, ys); },
         "update: a block of 5 at 3 does not fit into 6.f64; make the offset or the block smaller");
  expect([] { update(xs, {Nat(-1)}, ys); },
         "update: negative offset -1; drop the block's elements before the base's first");
  expect([] { update(xs, {Nat(0)}, flags); },
         "update: the block's element has type bool, expected f64; update with a block of the base's element "
         "type");
  expect([] { update(m, {Nat(0), Nat(0)}, xs); }, "update: needs an array of rank 2, got 6.f64");
  expect(
      [] {
        generate({Nat(2), Nat(3)}, increment);
      },
      "generate: needs a function of 2 argument(s), got (f64) -> f64; pass a lambda with that many "
      "parameters");
  expect([] { generate({Nat(2)}, increment); },
         "generate: parameter 1 has type f64, expected i32; indices are i32, one for each dimension");
}

TEST_CASE("errors of functions") {
  const Type number(f64);
  const Expr add = fun({number, number}, [](Expr a, Expr b) { return a + b; }), zero = literal(0, f64);
  expect([&] { map(increment, m); },
         "map: the array's element has type 6.f64, expected f64; the function's parameter must have the type "
         "of the array's elements");
  expect([&] { map(add, xs); },
         "map: needs a function of 1 argument(s), got (f64, f64) -> f64; pass a lambda with that many "
         "parameters");
  expect([&] { map(xs, xs); }, "map: needs a function of 1 argument(s), got 6.f64");
  expect([&] { map_n(2, increment, xs); }, "map: needs an array of rank 2, got 6.f64");
  expect([&] { map_with(Op::MapPar, 1, increment, m); },
         "map_par: the array's element has type 6.f64, expected f64");
  expect([&] { reduce(increment, zero, xs); }, "reduce: needs a function of 2 argument(s), got (f64) -> f64");
  expect([&] { reduce(add, zero, zero); }, "reduce: needs an array of rank 1, got f64");
  expect([&] { reduce(add, literal(0, f32), xs); },
         "reduce: the accumulator has type f64, expected f32; f takes (accumulator, element), the initial "
         "value has the accumulator's type");
  expect([&] { reduce(add, zero, m); },
         "reduce: the element parameter has type f64, expected 6.f64; f takes (accumulator, element)");
  expect(
      [&] {
        reduce(fun({number, number}, [](Expr a, Expr b) { return a < b; }), zero, xs);
      },
      "reduce: the result of f has type bool, expected f64; f must return the accumulator's type");
  expect([&] { scan(add, zero, m); }, "scan: the element parameter has type f64, expected 6.f64");
  expect([&] { iterate(2, fun(xs.type(), [](Expr x) { return x | drop(1, 0); }), xs); },
         "iterate: the result of f has type 5.f64, expected 6.f64; an iterated function must return its "
         "argument's type");
  expect(
      [&] {
        iterate(2, fun({f64, xs.type()}, [](Expr, Expr x) { return x; }), xs);
      },
      "iterate: the step's number has type f64, expected i32; a function of two parameters takes the step's "
      "number, an i32, and then the value");
  expect([&] { iterate(2, increment, xs); },
         "iterate: the start value has type 6.f64, expected f64; f and the start value must agree");
  expect(
      [&] {
        apply(increment, {xs[0], xs[1]});
      },
      "apply: a function of 1 parameters got 2 arguments; pass one argument a parameter");
  expect([&] { apply(param("f", Type::function({number}, number)), {xs}); },
         "apply: argument 1 has type 6.f64, expected f64; pass an argument of the parameter's type");
  expect([&] { apply(xs[0], {xs}); },
         "apply: needs a function of 1 argument(s), got f64; pass a lambda with that many parameters");
  expect(
      [&] {
        of(Op::Let, {xs, increment});
      },
      "let: the bound value has type 6.f64, expected f64; declare the variable with the value's type");
}

TEST_CASE("errors of scalars") {
  expect([] { xs + 1.0; },
         "literal: a number beside 6.f64; scalar arithmetic needs scalars: map it over the array");
  expect([] { xs + xs; }, "add: needs numbers, got 6.f64; map it over the array's elements");
  expect([] { -flags[0]; }, "neg: needs numbers, got bool; map it over the array's elements");
  expect([] { sqrt(xs); }, "sqrt: needs numbers, got 6.f64");
  expect([] { exp(flags[0]); }, "exp: needs numbers, got bool; map it over the array's elements");
  expect([] { pow(literal(2, i32), literal(3, i32)); },
         "pow: needs real numbers, got i32; convert them: f64(x), f32(x)");
  expect([] { sqrt(literal(2, i32)); }, "sqrt: needs real numbers, got i32; convert them: f64(x), f32(x)");
  expect([] { xs[0] + literal(1, f32); },
         "add: an operand has type f32, expected f64; cast one operand to the other's type");
  CHECK(test::message<TypeError>([] { literal(256, u8); }) ==
        "literal: 256 is no u8; there are whole numbers of 0 to 255; compute with i32, u8(x)");
  CHECK(test::message<TypeError>([] {
          literal(0x1p60, i64);
        }).ends_with(" is no i64; there are whole numbers of up to 2^53, and what is computed of them"));
  expect(
      [] {
        make(Op::Add, {literal(1, u8), literal(1, u8)});
      },
      "add: computes with i32, and got u8; convert it, i32(x), and the result u8(x)");
  expect([] { make(Op::Cast, {literal(1, u8)}, attributes::cast(f32)); },
         "cast: f32 of u8; convert it to i32 first: f32(i32(x))");
  expect([] { literal(1, u8) + literal(0.5, f64); },
         "add: an operand has type f64, expected i32; cast one operand to the other's type");
  expect([] { literal(1, i64) + literal(1, i32); },
         "add: an operand has type i32, expected i64; cast one operand to the other's type");
  CHECK(gather(literal(1, i64), xs, clamp).type() == Type(f64));
  expect([] { pad(1, 1, constant, 256)(param("bytes", array({6}, u8))); },
         "pad: the elements are u8, and cannot be 256; pass a whole number of 0 to 255");
  expect([] { max(xs[0], literal(1, i32)); },
         "max: an operand has type i32, expected f64; cast one operand to the other's type");
  expect([] { xs[0] < literal(1, f32); },
         "lt: an operand has type f32, expected f64; cast one operand to the other's type");
  expect(
      [] {
        of(Op::And, {xs[0], xs[1]});
      },
      "and: an operand has type f64, expected bool; use a comparison");
  expect([] { of(Op::Not, {xs[0]}); }, "not: an operand has type f64, expected bool; use a comparison");
  expect([] { select(xs[0], xs[1], xs[2]); },
         "select: the condition has type f64, expected bool; use a comparison");
  expect([] { select(flags[0], xs[1], flags[2]); },
         "select: the second alternative has type bool, expected f64; both alternatives must have one type");
  expect([] { select(flags[0], xs, xs); },
         "select: needs scalar alternatives, got 6.f64; map the select over the arrays");
  expect([] { cast(f32, xs); }, "cast: needs a scalar, got 6.f64; map the cast over the array");
  const UserFun half("half", {{"x", f64}}, f64, "return x / 2;",
                     [](std::span<const double> a) { return a[0] / 2; });
  expect([&] { half(literal(1, f32)); },
         "user_fun: argument x of half has type f32, expected f64; cast the argument");
  expect([&] { half(xs[0], xs[1]); },
         "user_fun: half takes 1 arguments, got 2; pass one argument a parameter");
}

TEST_CASE("a wrong operand count is a defect of whoever builds the node") {
  CHECK_THROWS_WITH_AS(of(Op::Add, {xs[0]}), "add: built with 1 operands", InternalError);
  CHECK_THROWS_WITH_AS(of(Op::Zip, {}), "zip: built with 0 operands", InternalError);
}

TEST_CASE("a symbolic length is refused only where it is certainly wrong") {
  const Nat n = Nat::size("n");
  const Expr u = param("u", array({n}, f64));
  CHECK(split({Nat(4)}, u).type().str() == "(n / 4).4.f64");  // a constraint of the tuner
  expect([&] { u | pad(1, 0, clamp) | drop(n + 2, 0); },
         "drop: removes n + 2 of n + 1 elements; remove fewer");
  expect([&] { u | slide(n + 1, 1); }, "slide: window of n + 1 is longer than the length n of n.f64");
}

}  // namespace typing_test
