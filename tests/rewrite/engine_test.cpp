// Patterns, rules, derivations and steps of iterations: on either side of what they take.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/engine/derivation.hpp"
#include "rewrite/engine/step_program.hpp"
#include "rewrite/engine/strategy.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/message.hpp"

namespace lift::engine_test {
namespace {

const Expr f = hole("f"), xs = hole("xs");
const Nat n = Nat::size("n", 4);
const Expr line = param("v", array({n}, f64)), plate = param("m", array({Nat(2), Nat(6)}, f64));

/// A rule that makes something else of everything.
Rule makes(const Expr& e) {
  return constructed("makes", "x = e", [e](const Site&, const Arguments&) -> Result<Expr> { return e; });
}
std::string refused(const Rule& r, const Expr& e, const Arguments& arguments = {}) {
  const auto after = apply(r, Site{e, {}}, arguments);
  return after ? "" : after.reason();
}
Expr zeros(const Nat& length) {
  return generate({length}, [](Expr i) { return cast(f64, i); });
}

}  // namespace

TEST_CASE("engine: sizes, literals, names and variables in patterns stand for themselves") {
  const Nat k = nat_hole("k"), size = Nat::size("n", 4);
  CHECK(match(drop({size}, {k}, xs), drop({n}, {Nat(0)}, param("w", array({2 * n}, f64)))));
  CHECK(!match(drop({size}, {k}, xs), drop({Nat(1)}, {Nat(0)}, line)));
  CHECK(holes_of(drop({size}, {k}, xs)).nats == std::vector<std::string>{"k"});
  // One hole twice: numbers that are equal, however they are written.
  const Expr w = param("w", array({4 * n}, f64));
  CHECK(match(drop({k}, {k}, xs), drop({n}, {2 * floordiv(n, 2) + mod(n, 2)}, w)));
  CHECK(!match(drop({k}, {k}, xs), drop({n}, {2 * floordiv(n, 2)}, w)));
  const Expr long_one = param("long", array({12 * n}, f64));
  CHECK(match(drop({k}, {k}, xs), drop({2 * floordiv(3 * n, 2)}, {3 * n - mod(3 * n, 2)}, long_one)));

  CHECK(match(line, line));
  CHECK(!match(line, param("w", array({n}, f64))));
  CHECK(match(literal(1, f64), literal(1, f64)));
  CHECK(!match(literal(1, f64), literal(2, f64)));
  CHECK(!match(fun(Type::any(), [](Expr x) { return x; }),
               fun({Type(f64), Type(f64)}, [](Expr x, Expr) { return x; })));

  const auto of_two = [](bool first) {
    return fun({Type(f64), Type(f64)}, [&](Expr x, Expr y) { return first ? x : y; });
  };
  CHECK(match(of_two(true), of_two(true)));
  CHECK(!match(of_two(true), of_two(false)));
  const auto nested = [](bool outer) {
    return map([&](Expr x) { return map([&](Expr y) { return outer ? x[0] : y; }, x); }, plate);
  };
  CHECK(match(nested(true), nested(true)));
  CHECK(!match(nested(true), nested(false)));
  const auto inner = [](bool outer) {
    return fun(Type(f64), [&](Expr x) { return fun(Type(f64), [&](Expr y) { return outer ? x : y; }); });
  };
  CHECK(match(inner(false), inner(false)));
  CHECK(!match(inner(true), inner(false)));
  const auto applied = [](const Expr& x) {
    return make(Op::Apply, {fun(Type(f64), [](Expr a) { return a + 1.0; }), x});
  };
  CHECK(match(applied(xs), applied(literal(2, f64))));
  CHECK(!match(applied(xs), literal(2, f64)));
}

TEST_CASE("engine: the other side is built of functions and iterations, too, each hole chosen once") {
  const auto m = match(map(f, xs), map([](Expr v) { return v * 2.0; }, line));
  REQUIRE(m);
  const Expr twice = filled_in(fun(array({n}, f64), [](Expr x) { return map(f, map(f, x)); }), *m);
  CHECK(twice == fun(array({n}, f64), [](Expr x) {
          return map([](Expr v) { return v * 2.0; }, map([](Expr v) { return v * 2.0; }, x));
        }));

  Match chosen;
  std::vector<std::string> asked;
  const Expr both = filled_in(tuple({xs, xs}), chosen, [&](const std::string& name, const HoleUse&) {
    asked.push_back(name);
    return line;
  });
  CHECK(both == tuple({line, line}));
  CHECK(asked == std::vector<std::string>{"xs"});

  Match steps;
  const Expr iterated =
      filled_in(iterate(3, hole("g"), xs), steps, [&](const std::string& name, const HoleUse& use) {
        if (name == "xs") return line;
        REQUIRE(use.applied_to);
        REQUIRE(use.returns);
        CHECK(*use.returns == line.type());  // a step returns what it takes
        return fun(use.applied_to->back(), [](Expr x) { return x | map([](Expr v) { return v + 1.0; }); });
      });
  CHECK(iterated.type() == line.type());
}

TEST_CASE("engine: what a rule makes has the type that was, whatever its lengths are written like") {
  CHECK(refused(makes(zeros(n)), line) == "");
  CHECK(refused(makes(zeros(2 * floordiv(n, 2) + mod(n, 2))), line) == "");
  CHECK(refused(makes(zeros(2 * floordiv(n, 2))), line) ==
        "would change the type from n.f64 to (2*(n / 2)).f64");
  CHECK(refused(makes(zeros(3 * floordiv(n, 2))), line).starts_with("would change the type"));
  CHECK(refused(makes(zeros(floordiv(n, 2) * floordiv(n, 2))), line).starts_with("would change the type"));
  CHECK(refused(makes(zeros(2 * floordiv(n, Nat::size("k", 1)))), line).starts_with("would change the type"));
  const Expr even = param("even", array({6 * floordiv(n, 2)}, f64));
  CHECK(refused(makes(zeros(3 * n - 3 * mod(n, 2))), even) == "");
  CHECK(refused(makes(literal(1, f64)), line).starts_with("would change the type"));
  CHECK(refused(makes(literal(1, f32)), literal(1, f64)).starts_with("would change the type"));
  const Nat same = 3 * n - 3 * mod(n, 2);  // as long as `even`
  const Expr pair = tuple({even, literal(1, f64)});
  CHECK(refused(makes(tuple({zeros(same), literal(2, f64)})), pair) == "");
  CHECK(refused(makes(tuple({zeros(same), literal(2, f32)})), pair).starts_with("would change the type"));
  CHECK(refused(makes(tuple({zeros(same)})), pair).starts_with("would change the type"));
  const auto rows = [](const Expr& row) { return map([&](Expr) { return row; }, plate); };
  CHECK(refused(makes(rows(zeros(same))), rows(even)) == "");
  CHECK(refused(makes(rows(zeros(same + 1))), rows(even)).starts_with("would change the type"));
  const auto function = [](const Expr& result) { return fun(array({n}, f64), [&](Expr) { return result; }); };
  CHECK(refused(makes(function(zeros(same))), function(even)) == "");
  CHECK(refused(makes(function(zeros(same + 1))), function(even)).starts_with("would change the type"));
  CHECK(refused(makes(function(literal(1, f64))), function(even)).starts_with("would change the type"));
}

TEST_CASE("engine: places and arguments that a rule does not take") {
  CHECK(test::message([] { part_at(plate, {-1}); }).starts_with("place -1: there is no child -1 below"));
  CHECK(test::message([] { part_at(plate, {0}); }).starts_with("place 0: there is no child 0 below"));
  const auto why = [](const Rule& r, const Arguments& a) { return refused(r, line, a); };
  CHECK(why(makes(line), {Argument("3")}) == "takes no parameters, got 1");
  const Rule one = makes(line).takes("width", "a width"),
             some = makes(line).takes("first", "a number").takes("rest", "numbers", true);
  CHECK(why(one, {Argument("3")}) == "");
  CHECK(why(one, {}) == "takes the parameters width, got 0");
  CHECK(why(one, {Argument("wide")}) == "parameter width (a width) is a natural number, got 'wide'");
  CHECK(why(one, {Argument("")}) == "parameter width (a width) is a natural number, got ''");
  CHECK(why(one, {Argument("1234567890")}) ==
        "parameter width (a width) is a natural number, got '1234567890'");
  CHECK(why(one, {Argument(std::int64_t{-2})}) == "parameter width (a width) is a natural number, got '-2'");
  CHECK(test::message<InternalError>([] { Argument("wide").number(); }) ==
        "a rule takes the word 'wide' for a number");
  CHECK(why(some, {Argument("3"), Argument("4"), Argument("5")}) == "");
  CHECK(why(some, {Argument("3")}) == "takes the parameters first rest..., got 1");
  CHECK(why(some, {Argument("3"), Argument("4"), Argument("x")}) ==
        "parameter rest (numbers) is a natural number, got 'x'");
  CHECK(test::message([] {
          makes(line).from({1, 2});
        }) == "rule makes: has no parameter to choose for; declare it with takes(...)");
  const Rule whole =
      program_rule("whole", "p = p", [](const Program& p, const Arguments&) { return Result<Program>(p); });
  CHECK(why(whole, {}) == "applies to a whole program, not to an expression");
  const Program p{"p", {line}, map([](Expr v) { return v * 2.0; }, line), {}, {}};
  CHECK(apply(whole, p, {}, {}));
  CHECK(apply(whole, p, {}, {Argument("1")}).reason() == "takes no parameters, got 1");
}

TEST_CASE("engine: derivations are read as they are printed, and nothing else is") {
  CHECK(parse_derivation("# a comment\n\nmap-fusion at 0.1.12\n").at(0).place == Place{0, 1, 12});
  CHECK(parse_derivation("rule 3 word at body").at(0).place.empty());
  CHECK(prose(Step{"in-tiles", {"0", "4"}, {}})
            .starts_with("the chain is computed for 4 planes of its result along axis 0"));
  CHECK(prose(Step{"in-tiles", {"0"}, {}})
            .starts_with("the chain is computed for  planes of its result along axis 0"));
  for (const char* place : {"0..1", "0.", ".", ".0", "12345", "0.x", "-1", "bodies"}) {
    CAPTURE(place);
    CHECK(test::message([&] { parse_derivation(std::string("map-fusion at ") + place); }) ==
          "derivation: '" + std::string(place) + "' in the line 'map-fusion at " + place +
              "' is no place; write 'body', or child indices such as 0.1.0");
  }
}

TEST_CASE("engine: which place is a step, and what its program knows of the state") {
  const auto parsed = [](const std::string& result) {
    return parse_program("param x : 8.f64\nparam s : f64\nresult = " + result, "steps.lift");
  };
  const Program p = parsed("x |> iterate(3, \\y. y |> map(\\v. v + 1.0))");
  CHECK(is_step(p.body, {0, 0}));
  CHECK(!is_step(p.body, {}));
  CHECK(!is_step(p.body, {0}));
  CHECK(!is_step(p.body, {0, 0, 0}));
  CHECK(!is_step(p.body, {1, 0}));
  CHECK(!is_step(p.body, {0, 0, 1}));
  const auto state = [&](const std::string& result) { return step_program(parsed(result), {0, 0}).state; };
  using Names = std::vector<std::string>;
  CHECK(state("x |> iterate(3, \\y. y |> map(\\v. v + 1.0))") == Names{"around 0.0"});
  CHECK(state("{x, s} |> iterate(3, \\y. {y.0 |> map(\\v. v + y.1), y.1})") ==
        Names{"around 0.0.0", "around 0.0.1"});
  // A pair of numbers is one thing; of a pair of arrays within the state no array is the component.
  CHECK(state("{s, s} |> iterate(3, \\y. {y.1, y.0 + 1.0})") == Names{"around 0.0"});
  CHECK(state("{x, {s, s}} |> iterate(3, \\y. {y.0, y.1})") == Names{"around 0.0.0", "around 0.0.1"});
  CHECK(state("{x, {x, s}} |> iterate(3, \\y. {y.0, y.1})") == Names{"around 0.0.0", ""});
}

TEST_CASE("engine: what is looked for from the top is found below, or its first refusal is said") {
  const Rewriting start{
      {"p", {line}, map([](Expr v) { return v + 0.0; }, map([](Expr v) { return v * 2.0; }, line)), {}, {}},
      {}};
  const Expr doubled = start.program.body.child(1);
  const Strategy twice = [&](const Rewriting& before, const Place& focus) -> Result<Rewriting> {
    if (!(part_at(before.program.body, focus) == doubled)) return Failure{"not here: " + str(focus)};
    Rewriting next = before;
    next.program.body = replaced_at(before.program.body, focus, line);
    return next;
  };
  const auto found = top_down(twice)(start, {});
  REQUIRE(found);
  CHECK(found->program.body == map([](Expr v) { return v + 0.0; }, line));
  CHECK(top_down(twice)(*found, {}).reason() == "nowhere below body; first tried: not here: body");
}

}  // namespace lift::engine_test
