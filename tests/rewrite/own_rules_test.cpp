// Rules of one's own: how they are read, that wrong ones are refused, what they make of a space.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "rewrite/own/check_rule.hpp"
#include "rewrite/own/read_rules.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"
#include "tests/message.hpp"
#include "tuning/search.hpp"

using namespace lift;
using namespace lift::test;

namespace own_rules_test {
namespace {

Rule only(const std::string& text) {
  const std::vector<Rule> rules = parse_rules(text, "t.rules");
  REQUIRE(rules.size() == 1);
  return rules.front();
}
std::string refused(const std::string& text) {
  return message([&] {
    for (const Rule& r : parse_rules(text, "t.rules")) check_rule(r);
  });
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
void check_says(const std::string& text, const std::vector<std::string>& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(says(text, part));
  }
}

Space space_by(const Program& p, const std::string& rules) {
  SpaceOptions options;
  options.threads = 2;
  const std::vector<Rule> all = rules.empty() ? std::vector<Rule>{} : parse_rules(rules);
  keep_rules(all);
  options.rules = std::make_shared<const std::vector<Rule>>(all);
  return {p, options};
}
std::vector<std::string> settings_of(const Space& s, const std::string& decision) {
  for (const Parameter& p : s.parameters())
    if (p.name() == decision) {
      std::vector<std::string> all;
      for (const Setting& v : p.values) all.push_back(p.key->text(v));
      return all;
    }
  return {};
}

Program three_maps() {
  return parse_program(
      "program three_maps\nsize n = 64\nparam a : 64.f64\n"
      "result y = a |> map(\\x. x + 1) |> map(\\x. sqrt(x)) |> map(\\x. x * 2)\n");
}
Program box(const std::string& type = "f64") {
  return parse_program("program box\nparam a : 40.40." + type +
                       "\nresult y = a |> slide2(5, 1) |> map2(\\w. w |> map(sum) |> sum)\n");
}
constexpr const char* kBox =
    "two-passes: slide2(n, 1) |> map2(\\w. w |> map(sum) |> sum)\n"
    "  = map(\\r. r |> slide(n, 1) |> map(sum)) |> transpose |> map(\\c. c |> slide(n, 1) |> map(sum)) |> "
    "transpose\n";

Value result(const Program& p) {
  std::map<std::string, Value> values;
  int k = 0;
  for (const Expr& a : p.arguments) {
    std::int64_t n = 1;
    for (const Nat& length : shape_of(a.type())) n *= *length.constant();
    std::vector<double> data(static_cast<std::size_t>(n));
    for (double& d : data) d = ++k * 37 % 101;
    values[param_name(a)] = make_array(data, a.type());
  }
  return interpret(p.body, values);
}

}  // namespace

TEST_CASE("own rules: equations are read as the library's rules are written") {
  const Expr f = hole("f"), g = hole("g"), xs = hole("xs");
  const Rule fuse = only("// two maps become one\nfuse-pair: map(f) |> map(g) = map(f |> g)");
  CHECK(fuse.name == "fuse-pair");
  CHECK(fuse.maths == "map(f) |> map(g) = map(f |> g)");
  REQUIRE(fuse.sides.size() == 1);
  CHECK(fuse.sides[0].lhs == map(g, map(f, xs)));
  CHECK(fuse.sides[0].rhs == map(compose(g, f), xs));
  // The same with the array, and by composition.
  const Rule with_array = only("fuse-pair: as |> map(f) |> map(g) = as |> map(g o f)");
  CHECK(with_array.sides[0].lhs == map(g, map(f, hole("as"))));

  const Rule chunks = only("chunks(k in {4, 8}) : map(f) = split(k) |> map(map(f)) |> join");
  REQUIRE(chunks.parameters.size() == 1);
  CHECK(chunks.parameters[0].choices == std::vector<std::int64_t>{4, 8});
  CHECK(chunks.exact);
  CHECK(only("c(k in 2 .. 5): map(f) = split(k) |> map(map(f)) |> join").parameters[0].choices ==
        std::vector<std::int64_t>{2, 3, 4, 5});
  CHECK_FALSE(only("regroup approximately: (a + b) + c = a + (b + c)").exact);

  // Numbers are of the type of the program's.
  const Rule halves = only("halves: map(\\x. x / 2) = map(\\x. x * 0.5)");
  REQUIRE(halves.sides.size() == 2);
  for (const char* type : {"f64", "f32"}) {
    const Program p =
        parse_program(std::string("program p\nparam a : 8.") + type + "\nresult y = a |> map(\\x. x / 2)\n");
    const auto after = apply(halves, p, {});
    REQUIRE(after);
    CHECK(after->body.type() == p.body.type());
  }
  // Definitions of the file; a number in a value, too.
  const std::vector<Rule> two = parse_rules(
      "def half(x) = x / 2\n"
      "mean: map(\\x. half(x) + half(x)) = map(\\x. half(x) * 2)\n"
      "rows: slide(n, 1) |> map(\\w. sum(w) / f64(n)) = slide(n, 1) |> map(sum) |> map(\\s. s / f64(n))\n");
  CHECK(two.size() == 2);
  CHECK(check_rule(two[1]) >= 20);
}

TEST_CASE("own rules: what is misspelt, unbound or no law is refused where it is written") {
  check_says(refused("a: mpa(f) |> map(g) = map(f |> g)"),
             {"t.rules:1:4", "'mpa'", "did you mean 'map'?", "^"});
  check_says(refused("a: map(f) |> slid(3, 1) = slide(3, 1) |> map(map(f))"),
             {"'slid'", "did you mean 'slide'?"});
  check_says(refused("a: map(f) |> map(g) = map(f |> h)"),
             {"t.rules:1:32", "'h'", "no variable of the left side"});
  check_says(refused("a: map(first) |> map(g) = map(firts |> g)"), {"'firts'", "did you mean 'first'?"});
  check_says(refused("a: map(f) = split(k) |> map(map(f)) |> join"), {"'k'", "a(k in {8, 16})"});
  check_says(refused("a(k in {2}): map(f) |> map(g) = map(f |> g)"), {"the parameter k is not used"});
  check_says(refused("a: split(k) |> join = xs"), {"is a function", "is a value", "xs |> map(f)"});
  check_says(refused("a: xs = xs |> reverse |> reverse"), {"stands for everything"});
  check_says(refused("a: map(f) = map(f)"), {"both sides are the same"});
  check_says(refused("map-fusion: map(f) |> map(g) = map(f |> g)"), {"the library has a rule map-fusion"});
  check_says(refused("a: map(f) |> map(g) = map(f |> g)\na: reverse |> reverse = \\x. x"),
             {"t.rules:2:1", "there is a rule a before"});
  check_says(refused("a map(f) = map(f)"), {"expected ':' after the name of the rule"});
  check_says(refused("a: map(f)"), {"expected '=' between the sides of the rule a"});
  check_says(refused("map(f) = map(g)"), {"expected 'in' and what f may be"});
  check_says(refused("a(k in 1 .. 100): split(k) |> join = \\x. x"), {"at most 16"});
  check_says(refused("// nothing\n"), {"there is no rule"});
  check_says(refused("a: map(\\w. f(w[0])) = map(f)"), {"'f'", "is applied on the left side"});
}

TEST_CASE("own rules: comments are no part of a law, and sides that differ in kind are told apart") {
  CHECK(only("a: map(f) |>  // first f\n  map(g) = map(f |> g)  // then g\n").maths ==
        "map(f) |> map(g) = map(f |> g)");
  CHECK(only("// above\na: map(f) |> map(g) = map(f |> g)").maths == "map(f) |> map(g) = map(f |> g)");
  for (const char* value : {"3", "map(f, xs)", "(x + y)"})
    check_says(refused(std::string("a: map(f) = ") + value),
               {"the left side is a function", "the right side is a value"});
}

TEST_CASE("own rules: numbers of the left side, and functions of parameters, are held to the law") {
  for (const char* text :
       {"a(k in {2, 3}): split(k) |> join = \\x. x", "a: map(\\x. f(x)) |> map(g) = map(\\x. g(f(x)))"}) {
    CAPTURE(text);
    CHECK(check_rule(only(text)) >= 100);
  }
  check_says(refused("a(k in {2, 3}): split(k) |> join = reverse"), {"does not hold"});
  // Windows that are longer than any array that is drawn.
  check_says(refused("a: slide(300, 1) |> map(map(f)) = map(f) |> slide(300, 1)"),
             {"random instances of its left side have a type, too few to check it"});
  // Parameters that nothing is chosen for, and a law that a function computes, which has no sides.
  const Expr f = hole("f"), xs = hole("xs");
  const auto tiles = [&](const Nat& length) {
    return join(map([&](Expr row) { return map(f, row); }, split({length}, xs)));
  };
  const Rule any = rule("tiles", map(f, xs), tiles(nat_hole("k"))).takes("k", "elements of a tile");
  CHECK(check_rule(any) >= 100);
  CHECK(check_rule(constructed("same", "x = x",
                               [](const Site& s, const Arguments&) -> Result<Expr> { return s.e; })) == 0);
}

TEST_CASE("own rules: right ones hold on random instances, reassociation to rounding") {
  for (const char* text :
       {"a: map(f) |> map(g) = map(f |> g)", "a: reverse |> reverse = \\x. x", "a: split(k) |> join = \\x. x",
        "a: map(f) |> slide(n, s) = slide(n, s) |> map(map(f))", "a: map(f) |> reverse = reverse |> map(f)",
        "a: slide(n, 1) |> map(map(f)) = map(f) |> slide(n, 1)",
        "a(k in {2, 3}): map(f) = split(k) |> map(map(f)) |> join",
        "a: zip(map(f, xs), ys) = zip(xs, ys) |> map(\\(x, y). {f(x), y})",
        "a: transpose |> map(map(f)) = map(map(f)) |> transpose",
        "a: pad(l, r, clamp) |> map(f) = map(f) |> pad(l, r, clamp)",
        "a: map(f) |> reduce(g, z) = reduce(\\a x. g(a, f(x)), z)",
        "a: scan(f, z) |> map(g) |> reverse = scan(f, z) |> reverse |> map(g)",
        "a approximately: (x + y) + z = x + (y + z)",
        "a approximately: reduce(add, 0) = reverse |> reduce(add, 0)",
        "a approximately: map(\\x. c * x) |> sum = \\xs. c * sum(xs)",
        "a approximately: slide(32, 1) |> map(sum) = slide(8, 1) |> map(sum) |> slide(25, 1) "
        "|> map(\\w. w[0] + w[8] + w[16] + w[24])",
        kBox}) {
    CAPTURE(text);
    CHECK(check_rule(only(text)) >= 100);
  }
}

TEST_CASE("own rules: wrong ones are refused with a counterexample, which is a program") {
  const auto check = [](const std::string& text, const std::string& part) {
    const std::string why = refused(text);
    check_says(why, {"does not hold", part, "// left:", "// right:"});
    const std::size_t from = why.find("program counterexample"), to = why.find("  // left:");
    REQUIRE(from != std::string::npos);
    const Program p = parse_program(why.substr(from, to - from));
    REQUIRE(p.arguments.empty());
    const Value both = interpret(p.body);
    CHECK_FALSE(identical(both.parts()[0], both.parts()[1]));
    check_says(why, {"// left:  " + str(both.parts()[0]) + "\n", "// right: " + str(both.parts()[1]) + "\n"});
  };
  check("half: map(map(f)) = transpose |> map(map(f)) ", "correct the rule");
  // Right for affine functions, so that samples of these would have let it pass.
  check(
      "mean: slide(2, 1) |> map(\\w. (w[0] + w[1]) / 2) |> map(f) = map(f) |> slide(2, 1) |> map(\\w. (w[0] "
      "+ w[1]) / 2)",
      "correct the rule");
  check("order: map(f) |> map(g) = map(g |> f)", "correct the rule");
  check(
      "ends: pad(2, 2, clamp) |> slide(3, 1) |> map(f) = pad(2, 2, mirror) |> slide(3, 1) |> map(f) |> "
      "reverse |> reverse",
      "correct the rule");
  check("exact: (a + b) + c = a + (b + c)", "exact approximately: ...");
  check("sums: reduce(add, 0) = reverse |> reduce(add, 0)", "they differ by rounding alone");
  check("close approximately: map(\\x. x / 2) = map(\\x. x * 0.501)", "correct the rule");
  check_says(refused("longer: map(f) = map(f) |> slide(2, 1)"),
             {"its sides never have one type", "would change the type"});
  check_says(refused("nothing: map(f) |> sum |> map(g) = map(f) |> map(g)"), {"rule nothing"});
}

TEST_CASE("own rules: a decision where they apply, before all others") {
  const std::string fuse = "own-fuse: map(f) |> map(g) = map(f |> g)";
  const Program p = three_maps();
  const Space without = space_by(p, ""), with = space_by(p, fuse);
  CHECK(settings_of(without, "rule own-fuse").empty());
  CHECK(settings_of(with, "rule own-fuse") ==
        std::vector<std::string>{"nowhere", "everywhere", "at 1", "at 2"});
  CHECK(with.parameters().front().name() == "rule own-fuse");
  constexpr std::size_t kMost = 100000;
  CHECK(count_configurations(with, kMost) > 2 * count_configurations(without, kMost));

  // Without it all is as it was.
  const Configuration nowhere = with.seeds().front();
  CHECK(nowhere.at("rule own-fuse") == "nowhere");
  CHECK(str(with.derive(nowhere)) == str(without.derive(without.seeds().front())));

  // Every configuration means the same, and names its steps.
  std::set<std::string> bodies;
  for (const Configuration& c : with.seeds()) {
    const Rewriting r = with.derived(c);
    CHECK(identical(result(r.program), result(p)));
    const bool used = c.at("rule own-fuse") != "nowhere";
    CHECK(used == (!r.steps.empty() && r.steps[0].rule == "own-fuse"));
    CHECK(used == says(with.structure(c), "own-fuse"));
    bodies.insert(str(r.program.body));
    CHECK(str(replay(p, r.steps).body) == str(r.program.body));
    CHECK(str(replay(p, parse_derivation(str(r.steps))).body) == str(r.program.body));
    if (used) CHECK(says(prose(r.steps), "own-fuse: map(f) |> map(g) = map(f |> g)"));
    (void)lower(r.program, {});
  }
  CHECK(bodies.size() > 3);
  Configuration all;
  all.set("rule own-fuse", "everywhere");
  const Derivation steps = with.derive(all);
  CHECK(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.rule == "own-fuse"; }) == 2);
  all.set("rule own-fuse", "at 2");
  const Derivation one = with.derive(all);
  CHECK(std::count_if(one.begin(), one.end(), [](const Step& s) { return s.rule == "own-fuse"; }) == 1);

  // A rule that matches nowhere is no decision.
  CHECK(settings_of(space_by(p, "own-join: join |> map(f) = map(map(f)) |> join"), "rule own-join").empty());
}

TEST_CASE("own rules: parameters are tried, rules see what those before have made, too many are said") {
  const Program p = three_maps();
  const Space chunks =
      space_by(p, "own-chunks(k in {4, 7, 8}): map(f) |> map(g) = split(k) |> map(map(f |> g)) |> join");
  const std::vector<std::string> settings = settings_of(chunks, "rule own-chunks");
  const auto has = [&](const char* s) {
    return std::find(settings.begin(), settings.end(), s) != settings.end();
  };
  CHECK(has("everywhere 4"));
  CHECK(has("everywhere 8"));
  CHECK(has("at 2 4"));
  CHECK_FALSE(has("everywhere 7"));  // does not divide 64

  const Space two = space_by(
      p, "own-first: map(f) |> map(g) = map(f |> g)\nown-second: map(f) = reverse |> map(f) |> reverse");
  Configuration c;
  c.set("rule own-first", "everywhere");
  c.set("rule own-second", "everywhere");
  const Derivation steps = two.derive(c);
  CHECK(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.rule == "own-second"; }) == 1);
  CHECK(identical(result(replay(p, steps)), result(p)));

  std::string many;
  for (const char* name : {"a", "b", "c", "d", "e", "g"})
    many += std::string("own-") + name + "(k in {2, 4, 8, 16}): map(f) = split(k) |> map(map(f)) |> join\n";
  check_says(message([&] { space_by(p, many); }), {"three_maps", "more than 48 programs", "fewer rules"});
}

TEST_CASE("own rules: no program that a rule makes is lost, whatever kind it is of") {
  // Loops around scans, and cells that reduce: decisions of the same names in another order.
  const Program scans =
      parse_program("program scans\nparam a : 8.64.f64\nresult y = a |> map(\\r. r |> scan(add, 0.0))\n");
  const Space both =
      space_by(scans,
               "own-windows: map(\\r. r |> scan(add, 0.0)) = map(\\r. r |> pad(63, 0, constant 0) |> "
               "slide(64, 1) |> map(sum))");
  CHECK(settings_of(both, "rule own-windows") == std::vector<std::string>{"nowhere", "everywhere"});
  CHECK_FALSE(settings_of(both, "tile").empty());
  CHECK_FALSE(settings_of(both, "tile under own-windows").empty());
  int used = 0;
  for (const Configuration& c : both.seeds()) {
    used += c.at("rule own-windows") == "everywhere";
    CHECK(identical(result(both.derived(c).program), result(scans)));
  }
  CHECK(used > 0);

  const Program windows = parse_program(
      "program windows\nparam a : 40.40.f64\nresult y = a |> slide2(5, 1) |> map2(\\w. w |> map(sum) |> "
      "sum)\n");
  const Space two = space_by(windows, kBox);
  CHECK(settings_of(two, "rule two-passes") == std::vector<std::string>{"nowhere", "everywhere"});
  for (const Configuration& c : two.seeds())
    CHECK(identical(result(two.derived(c).program), result(windows)));
}

TEST_CASE("own rules: programs of f32 are rewritten, too") {
  const Space two = space_by(box("f32"), kBox);
  CHECK(settings_of(two, "rule two-passes").size() == 2);
}

TEST_CASE("own rules: a derivation whose rule is not there says which") {
  const std::string why =
      message([] { replay(three_maps(), parse_derivation("own-missing-rule at body\n")); });
  check_says(why, {"'own-missing-rule'", "does not exist", "--rules FILE"});
  keep_rules(parse_rules("own-known-rule: map(f) |> map(g) = map(f |> g)"));
  const std::string near =
      message([] { replay(three_maps(), parse_derivation("own-knwon-rule at body\n")); });
  check_says(near, {"did you mean own-known-rule?"});
  CHECK(message([] { keep_rules({find_rule("map-fusion")}); }).find("the library has one of this name") !=
        std::string::npos);
}

TEST_CASE("own rules: keys of decisions are found by name") {
  (void)space_by(three_maps(), "own-keyed: map(f) |> map(g) = map(f |> g)");
  REQUIRE(find_key("rule own-keyed") != nullptr);
  CHECK(find_key("rule own-keyed")->text(*find_key("rule own-keyed")->read("at 2")) == "at 2");
  REQUIRE(find_key("tile under own-keyed") != nullptr);
  CHECK(find_key("tile under own-keyed")->domain == find_key("tile")->domain);
  CHECK(find_key("rule own-nobody") == nullptr);
  CHECK(find_key("tile under own-nobody") == nullptr);
}

}  // namespace own_rules_test
