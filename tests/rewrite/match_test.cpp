// Patterns, rules as values, places, strategies and derivations.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "rewrite/engine/strategy.hpp"
#include "tests/rewrite/fuzz.hpp"

using namespace lift;

namespace match_test {
namespace {

const Expr f = hole("f"), g = hole("g"), xs = hole("xs");
const Expr v = param("v", array({Nat(6)}, f64)), m = param("m", array({Nat(2), Nat(6)}, f64));

Expr doubled(const Expr& x) {
  return map([](Expr e) { return e * 2; }, x);
}
Expr shifted(const Expr& x) {
  return map([](Expr e) { return e + 1; }, x);
}
Program program(const Expr& body) { return {"test", params_of(body), body, {}}; }
std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("match: holes, repeated holes and naturals") {
  const auto fused = match(map(f, map(g, xs)), doubled(shifted(v)));
  REQUIRE(fused);
  CHECK((*fused)["xs"] == v);
  CHECK((*fused)["f"].type() == Type::function({f64}, f64));
  CHECK_FALSE(match(map(f, map(g, xs)), doubled(v)));
  CHECK(match(zip({xs, xs}), zip({v, v})));
  CHECK_FALSE(match(zip({xs, xs}), zip({v, shifted(v)})));
  const Nat k = nat_hole("k");
  CHECK(match(drop({k}, {k + 1}, xs), drop({Nat(1)}, {Nat(2)}, v)));
  CHECK_FALSE(match(drop({k}, {k + 1}, xs), drop({Nat(1)}, {Nat(1)}, v)));
  CHECK(match(drop({k}, {Nat(0)}, xs), drop({Nat(2)}, {Nat(0)}, v))->nat("k") == Nat(2));
}

TEST_CASE("match: below binders a hole does not use their variables") {
  const Expr rows = map([](Expr row) { return map(f, row); }, xs);
  CHECK(match(rows, map([](Expr row) { return doubled(row); }, m)));
  const Expr uses_row = map([](Expr row) { return map([&](Expr e) { return e * row[0]; }, row); }, m);
  CHECK_FALSE(match(rows, uses_row));
  CHECK_FALSE(apply(find_rule("interchange"), Site{uses_row, {}}));
  CHECK(apply(find_rule("interchange"), Site{map([](Expr row) { return doubled(row); }, m), {}}));
}

TEST_CASE("match: a hole applied to bound variables stands for a function of them") {
  const auto body = match(fun(Type::any(), [](Expr x) { return apply(f, {x}); }),
                          fun(Type(f64), [](Expr x) { return x * x + 1; }));
  REQUIRE(body);
  CHECK((*body)["f"] == fun(Type(f64), [](Expr x) { return x * x + 1; }));
  // \x y. f(x): the term must not use y
  const Expr of_first = fun({Type::any(), Type::any()}, [](Expr x, Expr) { return apply(f, {x}); });
  CHECK(match(of_first, fun({Type(f64), Type(f64)}, [](Expr x, Expr) { return x + 1; })));
  CHECK_FALSE(match(of_first, fun({Type(f64), Type(f64)}, [](Expr x, Expr y) { return x + y; })));
}

TEST_CASE("rules: what is wrong with one is said when it is made, or by the lint") {
  CHECK(contains(failure([] { rule("unbound", map(f, xs), map(g, xs)); }),
                 "hole g of the right side is not bound"));
  CHECK(lint(all_rules()).empty());
  CHECK(all_rules().size() >= 60);
  const Rule fine = rule("fine", join(split({nat_hole("k")}, xs)), xs);
  Rule same = fine;
  same.name = "same";
  Rule nothing = rule("nothing", map(f, xs), map(f, xs));
  Rule loose = rule("loose", map(f, xs), join(split({nat_hole("k")}, map(f, xs))));
  Rule unused = fine;
  unused.name = "unused", unused.takes("w", "width");
  Rule empty;
  empty.name = "empty", empty.maths = "nothing";
  std::string all;
  for (const std::string& c : lint({fine, fine, same, nothing, loose, unused, empty})) all += c + "\n";
  CHECK(contains(all, "fine: a second rule of this name"));
  CHECK(contains(all, "same: unreachable: the same sides as fine"));
  CHECK(contains(all, "nothing: changes nothing"));
  CHECK(contains(all, "loose: natural k is unbound"));
  CHECK(contains(all, "unused: parameter w is not used"));
  CHECK(contains(all, "empty: can never fire"));
}

TEST_CASE("rules: failures say what and why") {
  const Expr e = doubled(v);
  const auto reason = [&](const char* rule, const Arguments& a) {
    return apply(find_rule(rule), Site{e, {}}, a).reason();
  };
  CHECK(contains(reason("split-join", {"4"}), "4 does not divide the length 6"));
  CHECK(contains(reason("split-join", {}), "takes the parameters k, got 0"));
  CHECK(contains(reason("split-join", {"x"}), "is a natural number, got 'x'"));
  CHECK(contains(reason("map-fusion", {}), "not of the form"));
  CHECK(contains(reason("tile", {"7"}), "longer than the 6 elements"));
  CHECK(contains(reason("map-vec", {"3"}), "lanes"));
  CHECK(contains(reason("map-lcl", {"0"}), "enclosing map_wrg"));
  CHECK(contains(failure([] { find_rule("map-fushion"); }), "did you mean map-fusion"));
}

TEST_CASE("rules: symbolic lengths are compared after simplification") {
  const Nat n = Nat::size("n", 4, 4, 0);
  const Expr e = doubled(param("w", array({n}, f64)));
  const auto after = apply(find_rule("split-join"), Site{e, {}}, {"4"});
  REQUIRE_MESSAGE(after, after.reason());
  CHECK(after->is(Op::Join));
  CHECK_FALSE(apply(find_rule("split-join"), Site{e, {}}, {"3"}));
}

TEST_CASE("strategies") {
  const Rewriting start{program(shifted(doubled(shifted(doubled(v))))), {}};
  const Strategy fuse = use("map-fusion");
  SUBCASE("repeat applies until nothing is left") {
    const Rewriting r = run(repeat(fuse), start);
    CHECK(r.steps.size() == 3);
    CHECK(r.program.body.child(1) == v);
  }
  SUBCASE("top-down finds the outermost place") {
    CHECK(run(top_down(fuse), start).steps[0].place == Place{});
  }
  SUBCASE("at, seq, choice") {
    const Rewriting r = run(seq({at({1}, fuse), choice({use("interchange"), fuse})}), start);
    REQUIRE(r.steps.size() == 2);
    CHECK(r.steps[0].place == Place{1});
    CHECK(r.steps[1] == Step{"map-fusion", {}, {}});
  }
  SUBCASE("failures name the rule and the place") {
    CHECK(contains(failure([&] { run(at({1}, use("split-join", {"4"})), start); }),
                   "split-join at 1: the chunk length 4"));
    CHECK(contains(failure([&] {
                     run(seq({fuse, top_down(use("reduce-map"))}), start);
                   }),
                   "nowhere below body"));
    CHECK(contains(failure([&] { run(choice({use("interchange"), use("reduce-map")}), start); }), "; or "));
    const Strategy always = [](const Rewriting& r, const Place&) -> Result<Rewriting> { return r; };
    CHECK(contains(failure([&] { run(repeat(always), start); }), "still applies after 10000 times"));
  }
}

TEST_CASE("derivations: text and back") {
  const Program p = program(shifted(doubled(v)));
  const Derivation d{{"map-fusion", {}, {}}, {"tile", {"4"}, {}}, {"map-seq", {}, {0, 0}}};
  CHECK(str(d) == "map-fusion at body\ntile 4 at body\nmap-seq at 0.0\n");
  CHECK(parse_derivation(str(d)) == d);
  CHECK(parse_derivation("# comment\n\n  tile 4   at body \n").size() == 1);
  const Program q = replay(p, d);
  lift::test::Gen gen(3);
  const std::map<std::string, Value> values{{"v", gen.value(v.type())}};
  CHECK(identical(interpret(p.body, values), interpret(q.body, values)));
  CHECK(prose(d[1]) == "the loops are tiled by 4");
  CHECK(contains(prose(Step{"map-identity", {}, {}}), "id"));
  const Step a{"tile", {"4"}, {}}, b{"tile", {"8"}, {}}, c{"tile", {"2"}, {}};
  const std::string of_a = "the loops are tiled by 4\n", of_b = "the loops are tiled by 8\n",
                    of_c = "the loops are tiled by 2\n";
  CHECK(prose(Derivation{}).empty());
  CHECK(prose({a, a, b}) == "- " + of_a + "- " + of_a + "- " + of_b);  // two are easier to read
  CHECK(prose({a, b, b, b, b}) == "- " + of_a + "- 4 times: " + of_b);
  CHECK(prose({c, a, b, b, a, b, b, c}) ==
        "- " + of_c + "- 2 times:\n  - " + of_a + "  - " + of_b + "  - " + of_b + "- " + of_c);
}

TEST_CASE("derivations: malformed ones are refused with the line") {
  const Program p = program(doubled(v));
  CHECK(contains(failure([] { parse_derivation("map-seq at body\nmap-seq body\n"); }),
                 "'map-seq body' is no step"));
  CHECK(contains(failure([] { parse_derivation("map-seq at 0.x"); }), "'0.x'"));
  CHECK(contains(failure([] { parse_derivation("map-seq at 0."); }), "is no place"));
  CHECK(contains(failure([&] { replay(p, parse_derivation("map-seq at 0.7")); }), "there is no child 7"));
  CHECK(
      contains(failure([&] { replay(p, parse_derivation("map-seq at body\nmap-seq at body")); }), "step 2"));
  CHECK(contains(failure([&] { replay(p, parse_derivation("map-sek at body")); }), "did you mean map-seq"));
  CHECK(contains(failure([&] { replay(p, parse_derivation("layout rows 4 0 at 0")); }), "its place is body"));
  CHECK(contains(failure([&] { replay(p, parse_derivation("layout diagonal 4 0 at body")); }),
                 "layout 'diagonal 4 0' is not known"));
  CHECK(contains(failure([&] { replay(p, parse_derivation("update-in-place at body")); }), "not an update"));
}

}  // namespace match_test
