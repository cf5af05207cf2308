// Rules of one's own at the edges of what is drawn for them: variables that stand alone, positions, guards,
// sides that fail or differ in f32 alone; which counterexample is shown, and where a mistake is.
#include <doctest/doctest.h>

#include <algorithm>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/own/check_rule.hpp"
#include "rewrite/own/random_expressions.hpp"
#include "rewrite/own/read_rules.hpp"
#include "tests/message.hpp"

namespace lift::own_rules_edges_test {
namespace {

Rule law(const std::string& text) { return parse_rules(text, "t.rules").at(0); }
std::string refused(const std::string& text) {
  return test::message([&] { check_rule(law(text)); });
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The program of a counterexample's text.
Program counterexample(const std::string& why) {
  const std::size_t from = why.find("program counterexample"), to = why.find("  // left:");
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  return parse_program(why.substr(from, to - from));
}

}  // namespace

TEST_CASE("own rules edges: a variable that is all of a function is a number as well as an array") {
  for (const char* text : {"a: map(\\x. c) |> reverse = map(\\x. c)",
                           "a: map(\\x. c) |> map(\\x. x * c) = map(\\x. c * c)",       // numbers
                           "a: map(\\x. cs) |> map(map(f)) = map(\\x. map(f, cs))"}) {  // arrays
    CAPTURE(text);
    CHECK(check_rule(law(text)) >= 100);
  }
  CHECK(says(refused("a: map(\\x. c) |> map(\\x. x * c) = map(\\x. c)"), "does not hold"));
  // All of a left side, which text cannot say.
  const Expr xs = hole("xs");
  const auto chunks = [&](const Expr& of) {
    return rule("chunks", xs, join(split({nat_hole("k")}, of))).takes("k", "elements of a chunk").from({2});
  };
  CHECK(check_rule(chunks(xs)) >= 20);
  CHECK(says(test::message([&] { check_rule(chunks(reverse(xs))); }), "rule chunks does not hold"));
}

TEST_CASE("own rules edges: functions of positions return positions") {
  CHECK(check_rule(law("a: iterate(2, f, generate(n, \\i. i)) = "
                       "iterate(1, f, iterate(1, f, generate(n, \\i. i)))")) >= 100);
  CHECK(says(refused("a: iterate(2, f, generate(n, \\i. i)) = iterate(1, f, generate(n, \\i. i))"),
             "does not hold"));
  for (const Scalar s : {f64, f32}) {
    RandomExpressions random(1, s);
    for (const Scalar of : {f64, f32, i32}) {
      const Type three = Type::array(3, of);
      const Expr f = random.fun({Type::array(2, i32)}, three);
      CHECK(f.type().result() == three);
      CHECK(lift::apply(f, {random.array(2, i32)}).type() == three);
    }
  }
}

TEST_CASE("own rules edges: why there is no instance, where its values or a guard are the reason") {
  const std::string fails = refused("a: i32(c / (c - c)) = i32(c / (c - c)) + i32(c)");
  CAPTURE(fails);
  CHECK(says(fails, "only 0 random instances of its left side have a type, too few to check it: i32 of"));
  CHECK(says(fails, "no i32 holds it"));

  const Expr xs = hole("xs");
  const auto halves = [&](Rule::Guard g) {
    return rule("halves", join(split({nat_hole("k")}, xs)), xs).with(std::move(g), "sometimes");
  };
  const std::string never = test::message(
      [&] { check_rule(halves([](const Match&) { return std::string("the moon is full"); })); });
  CAPTURE(never);
  CHECK(says(never, "only 0 random instances"));
  CHECK(says(never, "too few to check it: the moon is full;"));
  CHECK_FALSE(says(never, "its sides never have one type"));
  CHECK(check_rule(halves([](const Match& m) {
          return m.nat("k") == Nat(2) ? std::string() : std::string("no chunks of two");
        })) >= 100);
}

TEST_CASE("own rules edges: sides of two types are told from numbers that only f32 can be combined with") {
  const std::string why = refused("a: map(\\x. x * 2.0f) = map(\\x. x * 2.0f) |> slide(2, 1)");
  CAPTURE(why);
  CHECK(says(why, "its sides never have one type: of p"));
  CHECK(says(why, "it would change the type from"));
  CHECK(says(why, ".f32; correct the right side"));
}

TEST_CASE("own rules edges: a counterexample in f32 is a program of f32") {
  // No overflow in f64.
  const std::string why =
      refused("a approximately: map(\\x. x * 1e30 * 1e30 * 1e-30 * 1e-30) = map(\\x. x * 1)");
  CAPTURE(why);
  CHECK(says(why, "rule a does not hold"));
  const Program p = counterexample(why);
  const Value both = interpret(p.body);
  const Type element = p.body.type().parts()[0].element();
  CHECK(element == Type(f32));
  CHECK_FALSE(identical(both.parts()[0], both.parts()[1]));
  CHECK(says(why, "// left:  " + str(both.parts()[0]) + "\n"));
  CHECK(says(why, "// right: " + str(both.parts()[1]) + "\n"));
}

TEST_CASE("own rules edges: a difference that is none of rounding is shown, however long its program") {
  // Sums in another order, and for some numbers another sum.
  for (const auto& [windows, differs] : {std::pair{"slide(n, s)", "f64(n) > 3"},
                                         {"slide(1, n)", "f64(n) > 3"},
                                         {"slide(2, n)", "f64(n) > 3"},
                                         {"slide(n, 1)", "f64(n) > 2"},
                                         {"slide(n, 1)", "f64(n) < 2"}}) {
    CAPTURE(windows);
    CAPTURE(differs);
    const std::string by_rounding = std::string("a: ") + windows +
                                    " |> map(\\w. (w[0] + 0.1) + 0.7) = " + windows + " |> map(\\w. w[0] + ";
    CHECK(says(refused(by_rounding + "(0.1 + 0.7))"), "they differ by rounding alone"));
    const std::string why = refused(by_rounding + "select(" + differs + ", 1.8, 0.1 + 0.7))");
    CAPTURE(why);
    CHECK(says(why, "correct the rule, or leave it out"));
    CHECK_FALSE(says(why, "they differ by rounding alone"));
    const Value both = interpret(counterexample(why).body);
    CHECK(difference(both.parts()[0], both.parts()[1]) > 0.01);
  }
}

TEST_CASE("own rules edges: numbers that only the right side has are of both types, too") {
  const Rule r = law("a: map(f) |> map(g) = map(\\x. g(f(x)) * 1)");
  REQUIRE(r.sides.size() == 2);
  CHECK(r.sides[0].lhs == r.sides[1].lhs);
  const Expr f = hole("f"), g = hole("g"), xs = hole("xs");
  for (const auto& [i, one] : {std::pair{0, f64}, {1, f32}})
    CHECK(r.sides[static_cast<std::size_t>(i)].rhs ==
          map(fun(Type::any(), [&](Expr x) { return apply(g, {apply(f, {x})}) * literal(1, one); }), xs));
  CHECK(law("a: map(f) |> map(g) = map(\\x. g(f(x)))").sides.size() == 1);
}

TEST_CASE("own rules edges: variables that are marked are found where they are written") {
  CHECK(says(refused("a: map(?f) |> map(g) = map(?f |> ?h)"), "t.rules:1:34: rule a: 'h'"));
  CHECK(says(refused("a: map(f) |> map(g) = map(f |> h)"), "t.rules:1:32: rule a: 'h'"));
  CHECK(check_rule(law("a: map(?f) |> map(?g) = map(?f |> ?g)")) >= 100);
}

TEST_CASE("own rules edges: a function that is applied at once stands in no program") {
  for (const char* text :
       {"a: map(\\x. (\\y. g(y))(x)) = map(g)", "a: map(\\x. (\\y. y * 2)(x)) = map(\\x. x * 2)"})
    CHECK(says(refused(text), "only 0 random instances of its left side have a type"));
  CHECK(check_rule(law("a: map(g) = map(\\x. (\\y. g(y))(x))")) >= 100);
}

TEST_CASE("own rules edges: an update in place is made where it may be") {
  const Rule r = law("a: update(xs, (0), ys) = update_in_place(xs, (0), ys)");
  const auto made = [&](const std::string& rest) {
    return apply(r, parse_program("program p\nparam a : 8.f64\n" + rest), {});
  };
  CHECK(made("overwrite a\nresult = update(a, (0), a |> map(\\x. x + 1.0))\n"));
  const auto refused = made("result = update(a, (0), a |> map(\\x. x + 1.0))\n");
  REQUIRE(!refused);
  CHECK_MESSAGE(says(refused.reason(), "the caller needs"), refused.reason());
}

TEST_CASE("own rules edges: names between backquotes") {
  CHECK(parse_rules("a: xs |> map(`b //r`) |> map(g) = xs |> map(g o `b //r`)")[0].maths ==
        "xs |> map(`b //r`) |> map(g) = xs |> map(g o `b //r`)");
  for (const std::string name : {"`x y`", "`#x`", "fuse-`x`"})
    CHECK(says(
        test::message([&] { law(name + ": map(f) |> map(g) = map(f |> g)"); }),
        name.starts_with("`") ? "expected the name of a rule" : "expected the next word of the rule's name"));
}

}  // namespace lift::own_rules_edges_test
