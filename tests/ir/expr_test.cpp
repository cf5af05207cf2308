// Interning, binders and substitution.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/expr/build.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace expr_test {
namespace {
const Type number(f64);
const Expr x = param("x", number), y = param("y", number);
}  // namespace

TEST_CASE("greater is less with its operands the other way round") {
  CHECK((x > y) == (y < x));
  CHECK((x >= y) == (y <= x));
  CHECK((x > 1) == (literal(1, f64) < x));
  CHECK((0.5 >= x) == (x <= 0.5));
  const std::string message = test::message([] { x > literal(1, f32); });
  CHECK(message.find("expr_test.cpp") != std::string::npos);
}

TEST_CASE("equal terms are one node, up to the names of bound variables") {
  CHECK(x + y == x + y);
  CHECK(x + y != y + x);
  const Expr a = param("a", number), b = param("b", number);
  CHECK(lambda({a}, a + x) == lambda({b}, b + x));
  CHECK(lambda({a, b}, a - b) != lambda({a, b}, b - a));
  CHECK(lambda({a}, lambda({b}, a * b)) == lambda({b}, lambda({a}, b * a)));
  CHECK(fresh_param("x", number) != fresh_param("x", number));
}

TEST_CASE("a closed lambda refers to nothing outside; its body does") {
  const Expr f = lambda({x}, lambda({y}, x + y));
  CHECK(f.loose() == 0);
  CHECK(f.child(0).loose() == 1);
  CHECK(f.child(0).child(0).loose() == 2);
}

TEST_CASE("instantiation puts arguments in place of the right variables, also under binders") {
  const Expr a = param("a", number);
  const Expr f = lambda({x}, lambda({y}, x - y));
  CHECK(instantiate(f, std::vector{a + y}) == lambda({x}, (a + y) - x));
  CHECK(apply(lambda({x, y}, x - y), {y, x}) == y - x);
  std::vector<Expr> fresh;
  const Expr body = open(f, fresh);
  CHECK(fresh.size() == 1);
  CHECK(lambda(fresh, body) == f);
}

TEST_CASE("substitution does not capture") {
  // In \y. x + y, x becomes a term over a free variable that was also called y.
  const Expr f = lambda({y}, x + y);
  const Expr g = substitute(f, [](const Expr& leaf) { return leaf == x ? y + 1.0 : leaf; });
  const Expr z = param("z", number);
  CHECK(g == lambda({z}, (y + 1.0) + z));
  CHECK(params_of(g) == std::vector{y});
}

TEST_CASE("shifting moves a term under more binders and back") {
  const Expr body = lambda({x}, lambda({y}, x + y)).child(0);  // refers one binder out
  CHECK(shift(body, 2).loose() == body.loose() + 2);
  CHECK(shift(shift(body, 2), -2) == body);
  CHECK(shift(x + y, 5) == x + y);
}

TEST_CASE("lengths inside types are rewritten too") {
  const Nat n = Nat::size("n");
  const Expr e = param("xs", array({n}, f64)) | pad(1, 1, clamp) | slide(3, 1);
  const Expr fixed = map_nats(e, [&](const Nat& l) { return substitute(l, n, 8); });
  CHECK(fixed.type() == array({8, 3}, f64));
}

TEST_CASE("a composed function applies the inner one first") {
  const Expr f = fun(number, [](Expr v) { return v * 2.0; }), g = fun(number, [](Expr v) { return v + 1.0; });
  CHECK(apply(compose(f, g), {x}) == (x + 1.0) * 2.0);
}

TEST_CASE("literals are numbers by their bits") {
  CHECK(literal(0.0, f64) != literal(-0.0, f64));
  CHECK(literal(std::nan(""), f64) == literal(std::nan(""), f64));
  CHECK(literal(1, f64) != literal(1, f32));
}

TEST_CASE("a term contains what is anywhere in it, asked once of each node until one is found") {
  const Expr shared = x + y, e = lambda({y}, shared * shared + literal(2.0, f64));
  const auto is = [](Op op) { return [op](const Expr& n) { return n.is(op); }; };
  CHECK(contains(e, is(Op::Lambda)));
  CHECK(contains(e, is(Op::Bound)));
  CHECK(contains(e, [](const Expr& n) { return n == x; }));
  CHECK_FALSE(contains(e, [](const Expr& n) { return n == y; }));  // bound here
  CHECK_FALSE(contains(e, is(Op::Div)));
  std::size_t asked = 0;
  CHECK_FALSE(contains(e, [&](const Expr&) { return ++asked, false; }));
  CHECK(asked == size_of(e));
}

TEST_CASE("what is dropped may differ from dimension to dimension, in a pipe, too") {
  const Expr xs = param("xs", array({6, 7}, f64)), row = param("row", array({6}, f64));
  CHECK((xs | drop({1, 0}, {1, 2})) == drop({1, 0}, {1, 2}, xs));
  CHECK((xs | drop({1, 0}, {1, 2})).type() == array({4, 5}, f64));
  CHECK((row | drop(1, 2)) == drop({1}, {2}, row));
  CHECK((row | drop({1}, {2})) == drop({1}, {2}, row));
}

TEST_CASE("lists that are not as long as one another name the line") {
  const Expr xs = param("xs", array({6, 7}, f64));
  const auto refused = [](const auto& made, int line) {
    const std::string said = test::message(made);
    CAPTURE(said);
    CHECK(said.find("a primitive of rank 2 needs as many values for its second parameter, got 1") == 0);
    CHECK(said.find("expr_test.cpp:" + std::to_string(line) + "]") != std::string::npos);
  };
  refused([&] { drop({1, 0}, {1}, xs); }, __LINE__);
  refused([&] { slide({3, 3}, {1}, xs); }, __LINE__);
  refused([&] { pad({1, 1}, {1}, clamp, xs); }, __LINE__);
}

}  // namespace expr_test
