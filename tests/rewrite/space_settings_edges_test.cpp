// Settings, configurations, rules as decisions, and the decisions about reductions and scans, at their edges.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/own/read_rules.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/rule_keys.hpp"
#include "tests/message.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::space_settings_edges_test {
namespace {

using namespace test;

std::size_t hash(const Configuration& c) { return std::hash<Configuration>{}(c); }

Space space_by(const Program& p, const std::vector<Rule>& all, SpaceOptions o = options()) {
  keep_rules(all);
  o.rules = std::make_shared<const std::vector<Rule>>(all);
  return {p, o};
}
Space space_by(const Program& p, const std::string& rules) { return space_by(p, parse_rules(rules)); }

}  // namespace

TEST_CASE("decisions: a choice may have as many words as there is room for, and more are not read") {
  const Key five{"five", Domain::choice, {"a", "b", "c", "d", "e"}};
  for (const char* text : {"a", "e", "e 3"}) {
    const auto s = five.read(text);
    REQUIRE(s);
    CHECK(five.text(*s) == text);
  }
  for (const char* text : {"", "f", "f 3", "e three"}) CHECK_FALSE(five.read(text));
}

TEST_CASE("decisions: who runs loops is said before their names, else it is a name") {
  CHECK(key::grid.read("groups") == Setting(Loops{Loops::By::groups, {}}));
  CHECK(key::grid.read("k groups") == Setting(Loops{Loops::By::itself, {"k", "groups"}}));
  CHECK(key::grid.read("k solo") == Setting(Loops{Loops::By::itself, {"k", "solo"}}));
}

TEST_CASE("decisions: settings of two domains do not begin alike, equal ones do") {
  CHECK(begins(std::int64_t{4}, std::int64_t{4}));
  CHECK(begins("none"_sizes, "none"_sizes));
  CHECK_FALSE(begins(std::int64_t{4}, "j4"_sizes));
  CHECK_FALSE(begins("j4"_sizes, std::int64_t{4}));
  CHECK_FALSE(begins(std::int64_t{4}, std::int64_t{2}));
  CHECK_FALSE(begins(Choice{kSplitLayout, {3, 1}}, Choice{kSplitLayout, {2}}));
  CHECK(begins(Choice{kSplitLayout, {3, 1}}, Choice{kSplitLayout, {3}}));
}

TEST_CASE("decisions: a size without an axis is a number, whose neighbours are the next ones") {
  CHECK(number_of("4"_sizes) == 4);
  CHECK_FALSE(number_of("j4"_sizes));
  CHECK_FALSE(number_of("4 8"_sizes));
  CHECK_FALSE(number_of(Choice{1, {4}}));
  CHECK(neighbours({"8"_sizes, "4"_sizes, "2"_sizes, "1"_sizes}, "4"_sizes) ==
        Settings{"2"_sizes, "8"_sizes});
  CHECK(neighbours({"1"_sizes, "2"_sizes, "4"_sizes, "j4"_sizes}, "1"_sizes) ==
        Settings{"j4"_sizes, "2"_sizes});
  CHECK(neighbours({Choice{0, {}}, Choice{1, {}}}, Choice{0, {}}) == Settings{Choice{1, {}}});
}

TEST_CASE("decisions: configurations differ by what is decided as well as by how") {
  const Configuration lanes{{"lanes", "4"}}, unroll{{"unroll", "4"}};
  CHECK(lanes != unroll);
  CHECK(lanes < unroll);
  CHECK_FALSE(unroll < lanes);
  const Configuration tile{{"tile", "k8 j8"}, {"width", "4"}}, wider{{"tile", "k8 j8"}, {"width", "8"}};
  CHECK(tile < wider);
  CHECK_FALSE(wider < tile);
  const Configuration one{{"parallel", "k"}, {"width", "4"}}, other{{"parallel", "k"}, {"width", "8"}};
  CHECK(one < other);
  CHECK_FALSE(other < one);
  CHECK((Configuration{{"grid", "k"}} < Configuration{{"grid", "solo k"}}));
  CHECK_FALSE((Configuration{{"grid", "solo k"}} < Configuration{{"grid", "k"}}));
}

TEST_CASE("decisions: what a configuration says nothing of is not there to be read or taken out") {
  Configuration c{{"lanes", "4"}};
  for (const char* name : {"width", "group"}) {  // behind all others, before them
    CHECK_FALSE(c.contains(name));
    CHECK(message([&] { (void)c.at(name); }) ==
          "the configuration says nothing of '" + std::string(name) + "'");
    c.erase(*find_key(name));
  }
  CHECK(c == Configuration{{"lanes", "4"}});
  c.erase(key::lanes);
  CHECK(c.empty());
}

TEST_CASE("decisions: hashes are of all of a setting") {
  const std::vector<Configuration> all{
      {{"late", "0"}},          {{"late", "1"}},          {{"layout", "rows 8 1"}},
      {{"layout", "rows 8 2"}}, {{"layout", "rows 4 1"}}, {{"grid", "k"}},
      {{"grid", "j"}},          {{"grid", "k j"}},        {{"grid", "solo k"}}};
  for (const Configuration& a : all)
    for (const Configuration& b : all) CHECK((hash(a) == hash(b)) == (&a == &b));
}

TEST_CASE("decisions: a key under a rule is one that there is without it") {
  key_of_rule("own-settings");
  CHECK(find_key("colour under own-settings") == nullptr);
  REQUIRE(find_key("tile under own-settings") != nullptr);
  CHECK(find_key("tile under own-settings") == &key_under_rule(key::tile, "own-settings"));
}

TEST_CASE("space: what a decision can be is said where it is refused") {
  const Program p = parse_program("param x : 6.130.f64\nresult y = x |> map2(\\v. v + 1)\n");
  const Space s(p, options());
  CHECK(s.allowed_texts({{"tile", "none"}, {"inner", "seq"}}, "width") == Values{"1"});
  CHECK(message([&] {
          s.derive({{"tile", "none"}, {"inner", "seq"}, {"width", "4"}});
        }) == "parameter width cannot be '4' here: only '1'");
  const std::string inner = message([&] { s.derive({{"inner", "strided"}}); });
  CHECK_MESSAGE(inner.find("here: the first possible value is '") != std::string::npos, inner);
}

TEST_CASE("space: switches of any program have a title, and say why one has none") {
  const std::vector<SwitchKind> all = switch_kinds();
  CHECK(std::any_of(all.begin(), all.end(), [](const SwitchKind& k) { return k.key == &key::unroll; }));
  CHECK(std::none_of(all.begin(), all.end(), [](const SwitchKind& k) { return k.key == &key::width; }));
  for (const SwitchKind& k : all) {
    CHECK(k.title != nullptr);
    CHECK(k.absent != nullptr);
  }
}

TEST_CASE("space: the layout that is asked for is taken once, whether it is a decision or not") {
  SpaceOptions o = options();
  const auto layouts = [&](const Program& p) {
    const Space s(p, o);
    const Configuration c = s.seeds().at(0);
    check_space(p, o, 3, 1);
    return std::pair(count(s.derive(c), "layout"), s.layout(c));
  };
  const Program cells = parse_program("param x : 6.11.f64\nresult y = x |> map2(\\v. v + 1)\n"),
                scans = parse_program("param x : 6.41.f64\nresult y = x |> map(scan(add, 0))\n");
  o.only_layout = parse_layout("rows 4 1");
  CHECK(layouts(cells) == std::pair(1, std::string("rows 4 1")));
  CHECK(layouts(scans) == std::pair(1, std::string("rows 4 1")));
  o.only_layout = kCallersLayout;
  CHECK(layouts(cells) == std::pair(0, std::string()));
  CHECK(layouts(scans) == std::pair(0, std::string()));
}

TEST_CASE("space: a rule that leaves a program as it is makes no decision") {
  const auto swaps = [](const std::string& f) {
    const Program p = parse_program("param a : 64.f64\nresult y = a |> map(" + f + ")\n");
    const Space s = space_by(p, "own-swap: x + y = y + x");
    const Parameter* r = find(s, "rule own-swap");
    return r == nullptr ? std::size_t{0} : r->values.size();
  };
  CHECK(swaps("\\x. x + x") == 0);
  CHECK(swaps("\\x. x + 1.0") == 2);
}

TEST_CASE("space: a rule about a whole program is one decision, where it applies") {
  const auto with = [](const std::string& body) {
    const Rule turns = program_rule("own-turns", "map f xs = reverse (reverse (map f xs))",
                                    [](const Program& p, const Arguments&) -> Result<Program> {
                                      if (!p.body.is(Op::Map)) return Failure{"no map"};
                                      Program r = p;
                                      r.body = reverse(reverse(p.body));
                                      return r;
                                    });
    return space_by(parse_program("param u : 40.f64\nresult y = u |> " + body + "\n"), {turns});
  };
  const Space s = with("map(\\x. x + 1.0)");
  CHECK(s.allowed_texts({}, "rule own-turns") == Values{"nowhere", "everywhere"});
  CHECK(count(s.derive({{"rule own-turns", "everywhere"}}), "own-turns") == 1);
  CHECK(count(s.derive({{"rule own-turns", "nowhere"}}), "own-turns") == 0);
  const auto values = values_of(s.program(), 1);
  for (const Configuration& c : s.seeds())
    check_configuration(s, c, interpret(s.program().body, values), values);
  CHECK(find(with("map(\\x. x + 1.0) |> take(7)"), "rule own-turns") == nullptr);
}

TEST_CASE("space: of programs under a rule, none that has no loops to be decided about") {
  const std::string chain = "(let a = x |> map(\\v. v + 1.0) in a |> map(\\v. v * 2.0))",
                    banded = chain + " |> band<skewed>(0, 1, (0, 0))";
  const auto twice = [](const std::string& c) {
    return parse_program("param x : 80.f64\nresult y, z = {x |> iterate(3, \\x. " + c + "), " + c + "}\n");
  };
  const Program good = twice(chain), bad = twice(banded);  // two schedules
  const auto becomes = [](const Program& to) {
    return program_rule("own-becomes", "one program is another",
                        [to](const Program&, const Arguments&) { return Result<Program>(to); });
  };
  CHECK(find(space_by(good, {becomes(bad)}), "rule own-becomes") == nullptr);
  CHECK(find(space_by(good, {becomes(good)}), "rule own-becomes") == nullptr);
  const std::string why = message([&] { space_by(bad, {becomes(good)}); });
  CHECK_MESSAGE(why.find("band: needs a chain") != std::string::npos, why);
}

TEST_CASE("space: under a rule, in which layout and whether in place is one decision with and without it") {
  // Of scans the order of loops comes before their tiles, of cells after them.
  const Program p = parse_program(
      "param u : 40.64.f64\noverwrite u\nresult y = update(u, 0, u |> map(\\r. r |> scan(\\c x. 2 * x, "
      "0.0)))\n");
  const Space s =
      space_by(p, "own-map: map(\\r. r |> scan(\\c x. 2 * x, 0.0)) = map(\\r. r |> map(\\x. 2 * x))");
  CHECK(find(s, "layout") != nullptr);
  CHECK(find(s, "layout under own-map") == nullptr);
  CHECK(find(s, "in_place under own-map") == nullptr);
  for (const char* key : {"tile", "parallel", "inner"}) {
    CHECK(find(s, key) != nullptr);
    CHECK(find(s, std::string(key) + " under own-map") != nullptr);
  }
  const auto values = values_of(p, 1);
  for (const Configuration& c : s.seeds()) check_configuration(s, c, interpret(p.body, values), values);
}

TEST_CASE("space: a rule is applied everywhere as long as its places become fewer") {
  const Rule down = constructed("own-down", "k = k - 1, where k > 0", [](const Site& s, const Arguments&) {
    const bool is_left = s.e.is(Op::Literal) && literal_number(s.e) > 0;
    return is_left ? Result<Expr>(literal(literal_number(s.e) - 1, f64)) : Failure{"no number above 0"};
  });
  const std::function<Expr(int, int)> sum = [&](int from, int to) {
    return from == to ? literal(from, f64) : sum(from, (from + to) / 2) + sum((from + to) / 2 + 1, to);
  };
  // Each time one number fewer is left.
  const auto steps = [&](int most) {
    const Expr x = param("x", array({Nat(40)}, f64));
    const Program p{"sums", {x}, x | map([&](Expr e) { return e + sum(1, most); }), {}};
    return count(space_by(p, {down}).derive({{"rule own-down", "everywhere"}}), "own-down");
  };
  CHECK(steps(1) == 1);
  CHECK(steps(6) == 6 + 5 + 4 + 3 + 2 + 1);
}

namespace {

Program of(const std::string& text) {
  return parse_program(
      "def total(r) = r |> reduce(add, 0)\ndef most(r) = r |> reduce(\\x y. max(x, y), -9.0)\n" + text);
}

/// But for rounding.
void check_meaning(const Space& s, const Configuration& c) {
  const auto values = values_of(s.program(), 1);
  const Derivation d = s.derive(c);
  const Program q = replay(s.program(), parse_derivation(str(d)));
  CHECK_MESSAGE(difference(interpret(q.body, values), interpret(s.program().body, values)) < 1e-12, str(d));
}
Space checked(const std::string& text, int random_ones = 6, const SpaceOptions& o = options()) {
  CAPTURE(text);
  const Space s(of(text), o);
  for (const Configuration& c : s.seeds()) check_meaning(s, c);
  std::mt19937 random(7);
  for (int i = 0; i < random_ones; ++i) check_meaning(s, random_configuration(s, random));
  return s;
}
bool decides(const Space& s, const std::string& name) { return find(s, name) != nullptr; }

}  // namespace

TEST_CASE("space: vectors go along the elements of a sum where these are neighbours") {
  CHECK(decides(checked("param a : 9.35.f64\nresult q = a |> map(total)\n"), "lanes"));
  for (const char* rows : {"a |> map(reverse)", "a |> map(\\r. r |> split(2) |> map(\\p. p[0]))"}) {
    const Space s = checked("param a : 9.70.f64\nresult q = " + std::string(rows) + " |> map(total)\n");
    CHECK_FALSE(decides(s, "lanes"));
    CHECK(has(s, "tile", "i4"));
  }
}

TEST_CASE("space: rows that sums are about are made side by side where they lie so in the result") {
  const auto vectors = [](const std::string& then) {
    return decides(checked("param a : 67.13.f64\nresult q = a |> transpose |> map(\\c. let s = total(c) in c "
                           "|> map(\\x. x / s))" +
                           then + "\n"),
                   "inner");
  };
  CHECK(vectors(" |> transpose"));
  CHECK(vectors(" |> transpose |> reverse"));
  CHECK_FALSE(vectors(""));
  CHECK_FALSE(vectors(" |> reverse"));
}

TEST_CASE("space: sums of what other functions reduce are taken one by one") {
  const auto by_loops = [](const std::string& made) {
    return decides(checked("param a : 3.34.33.f64\nresult q = a |> map(\\p. " + made + ")\n", 3), "order");
  };
  CHECK(by_loops("p |> map(total) |> total"));
  CHECK_FALSE(by_loops("p |> map(most) |> total"));
  CHECK_FALSE(by_loops("(p |> map(most) |> total) + (p |> map(total) |> most)"));
  CHECK_FALSE(by_loops("p |> reduce(\\acc r. acc + total(r), 0.0)"));
}

TEST_CASE("space: which cells that reduce have loops over their elements that are decided about") {
  const auto are_folds = [](const std::string& text) { return decides(Space(of(text), options()), "order"); };
  const std::string a = "param a : 5.41.f64\n", n = "size n where n >= 50\n";
  CHECK(are_folds(a + "result q = a |> map(total)\n"));
  CHECK_FALSE(are_folds(a + "result q = a |> map(\\r. total(r) + (r |> reduce_seq(add, 0)))\n"));
  CHECK_FALSE(are_folds(n + "param a : n.41.f64\nresult q = a |> map(total)\n"));
  CHECK_FALSE(are_folds(n + "param a : 5.n.f64\nresult q = a |> map(total)\n"));
  CHECK_FALSE(
      are_folds("param a : 5.41.3.f64\nparam z : 3.f64\nresult q = a |> map(\\a. a |> reduce(\\x y. "
                "zip(x, y) |> map(\\(x, y). x + y), z))\n"));
  const std::string scaled = "let s = total(r) in r |> map(\\v. v * s)";
  CHECK(are_folds(a + "result q = a |> map(\\r. " + scaled + ")\n"));
  CHECK_FALSE(are_folds(a + "result q = a |> map(\\r. r |> iterate(3, \\r. " + scaled + "))\n"));
  CHECK_FALSE(
      are_folds(a + "result q = a |> map(\\r. update(r, 2, r |> take(2) |> map(\\v. total(r) * v)))\n"));
  const Space updated =
      checked(a + "param u : 9.f64\noverwrite u\nresult q = update(u, 2, a |> map(total))\n");
  CHECK_FALSE(decides(updated, "order"));
  CHECK(decides(updated, "in_place"));
}

TEST_CASE("space: of several sums in a cell, each says how all may be taken") {
  const auto sums = [](const std::string& shape, const std::string& made) {
    const Space s = checked("def late(r) = r |> reduce(\\acc x. 0.5 * acc + x, 0.0)\nparam a : " + shape +
                            ".f64\nresult q = a |> map(\\r. " + made + ")\n");
    return std::pair(decides(s, "lanes"), decides(s, "unroll"));
  };
  CHECK(sums("9.40", "total(r) + most(r)") == std::pair(true, true));
  CHECK(sums("9.40", "late(r) * total(r)") == std::pair(false, true));
  CHECK(sums("9.40", "total(r) * late(r)") == std::pair(false, true));
  // Of joined rows, one by one.
  CHECK(sums("9.5.8", "total(r |> join) + most(r |> join)") == std::pair(true, false));
  CHECK(sums("3.34.33", "(r |> map(total) |> total) + most(r |> map(most))") == std::pair(false, false));
}

TEST_CASE("space: cells that make several arrays of a sum have all of their loops decided") {
  const Space s = checked(
      "param a : 9.40.f64\nresult = a |> map(\\r. let s = total(r) in {r |> map(\\x. x / s), r |> map(\\x. x "
      "* "
      "s)})\n");
  CHECK(count(s.derive({{"order", "i k"}, {"lanes", "8"}}), "map-vec") == 3);
  const Space planes = checked(
      "param a : 9.5.8.f64\nresult = a |> map(\\p. let s = p |> join |> total in {p |> map2(\\x. x / s), p "
      "|> "
      "map2(\\x. x * s)})\n");
  CHECK(count(planes.derive({{"order", "i k"}}), "map-nest") == 2);
  const Space scans = checked(
      "param a : 4.5.40.f64\nresult = a |> map(\\p. let s = p |> map(\\r. r |> scan(add, 0)) in {s |> "
      "map2(\\x. 2 * x), p |> map2(\\x. 3 * x)})\n");
  CHECK(count(scans.derive({{"order", "i k"}}), "map-nest") == 2);
}

TEST_CASE("space: roots of rows' sums within a sum are no parts of it that threads share") {
  const Space s = checked(
      "param a : 72.5.9.f64\nresult q = a |> map(transpose) |> transpose |> map(\\p. p |> map(\\r. sqrt(r |> "
      "reduce_seq(add, 0))) |> total)\n",
      4);
  const auto shared = [&](const char* parts) {
    const Derivation d = s.derive({{"order", "k i"}, {"inner", "vec"}, {"parts", parts}});
    return std::pair(count(d, "map-of-mapped"), count(d, "to-global"));
  };
  CHECK(shared("none") == std::pair(1, 0));
  CHECK(shared("k36") == std::pair(1, 1));
}

TEST_CASE("space: one thread alone begins with tiles of columns, not with parts of their elements") {
  SpaceOptions alone = options();
  alone.threads = 1;
  const Space s(of("param a : 67.45.f64\nresult q = a |> transpose |> map(total)\n"), alone);
  CHECK(s.seeds().front()[key::inner] == Inner::vec);
  CHECK_FALSE(s.seeds().front()[key::tile].empty());
  for (const Configuration& c : s.seeds()) {
    CHECK(c[key::parts].empty());
    CHECK(count(s.derive(c), "reduce-split") == 0);
  }
}

TEST_CASE("space: results of parts that no item count divides are reduced by so many items, unfilled") {
  const Expr x = param("x", array({Nat(40 * 1024)}, f64)), zero = literal(0, f64);
  const Expr pairs = map([&](Expr e) { return tuple({e, zero}); }, x);
  const Program p{"compensated", {x}, get(0, reduce(two_sum(f64), tuple({zero, zero}), pairs)), {}};
  const Space s(p, options(Target::opencl));
  const Derivation d = s.derive({{"parts", "i1024"}, {"group", "256"}, {"lanes", "1"}});
  CHECK(count(d, "reduce-pad") == 0);
  CHECK(str(d).find("reduce-columns 40 at") != std::string::npos);
  CHECK(count(d, "reduce-columns") == 3);  // not two for the 40 results
  const auto values = values_of(p, 1);
  check_configuration(s, {{"parts", "i1024"}, {"group", "256"}, {"lanes", "1"}},
                      interpret(replay(p, d).body, values), values);
}

TEST_CASE("space: a group takes what is made of its sum, but no loops beside that") {
  const auto taken = [](const std::string& with) {
    const Space s(of("param x : 2000.f64\nparam y : 8.f64\nresult q = total(x) + " + with + "\n"),
                  options(Target::opencl));
    const Configuration c{{"parts", "none"}, {"group", "256"}, {"lanes", "4"}};
    check_meaning(s, c);
    return count(s.derive(c), "at-of-map");
  };
  CHECK(taken("y[7]") == 1);
  CHECK(taken("(y |> iterate(3, \\y. y |> scan(add, 0)))[7]") == 0);
}

TEST_CASE("space: of two sums, one of joined arrays, each has the loops that it has") {
  const Space s(of("param x : 4.5.6.f64\nparam y : 64.f64\nresult q = total(x |> join |> join) + total(y)\n"),
                options());
  for (const char* lanes : {"1", "2", "4"}) {
    const Configuration c{{"parts", "none"}, {"lanes", lanes}};
    check_meaning(s, c);
    CHECK(count(s.derive(c), "reduce-of-join") == 2);
  }
}

TEST_CASE("space: of a sum that has other loops than the first nothing is decided but lanes") {
  const Space s(
      of("param x : 64.f64\nparam y : 3.4.6.f64\nresult q = total(x) + (y |> map(\\p. p |> map(total) |> "
         "total) |> total)\n"),
      options());
  for (const char* parts : {"none", "i32"}) {
    CAPTURE(parts);
    const Configuration c{{"parts", parts}, {"lanes", "2"}};
    check_meaning(s, c);
    const Derivation d = s.derive(c);
    CHECK(count(d, "reduce-joined") == 0);
    CHECK(count(d, "reduce-split") == (*parts == 'i' ? 1 : 0));
    CHECK(count(d, "map-par") == (*parts == 'i' ? 1 : 0));
    CHECK(count(d, "reduce-lanes") == 2);
  }
}

TEST_CASE("space: maps of rows go on below where nested sums become one, if they are of whole rows") {
  const auto joined = [](const std::string& rows) {
    const Space s(of("param x : 12.34.f64\nresult q = x |> map(\\r. r" + rows +
                     " |> map(\\x. x * x) |> total) |> total\n"),
                  options(Target::opencl));
    const Configuration c{{"parts", "none"}, {"group", "64"}, {"lanes", "2"}};
    check_meaning(s, c);
    return std::pair(count(s.derive(c), "reduce-joined"), count(s.derive(c), "join-of-map"));
  };
  CHECK(joined("") == std::pair(1, 1));
  CHECK(joined(" |> drop(1, 1)") == std::pair(1, 0));
}

TEST_CASE("space: sums beside an iteration are shared where they have rows, or enough elements") {
  const auto derived = [](const std::string& shape, const std::string& of_all, const SpaceOptions& o) {
    const Space s = checked("param u : " + shape + ".f64\nresult q = u |> iterate(3, \\x. x |> map" +
                                (shape.find('.') == std::string::npos ? "" : "2") + "(\\v. v / 2))" + of_all +
                                " |> total\n",
                            2, o);
    return s.derive(s.seeds().front());
  };
  CHECK(count(derived("80", "", options()), "to-global") == 0);
  CHECK(count(derived("5.40", " |> join", options()), "to-global") == 1);
  SpaceOptions few = options(Target::cuda);
  CHECK(count(derived("80", "", few), "reduce-columns") == 0);
  CHECK(count(derived("512", "", few), "reduce-columns") == 2);
  few.max_work_group = 16;
  CHECK(count(derived("80", "", few), "reduce-columns") == 1);  // no fewer items take up their results
}

TEST_CASE("space: what a reduction begins with that is decided already is its own") {
  const std::string start = "param x, y : 40.f64\nresult q = ";
  CHECK(decides(checked(start + "total(x) + (y |> reduce_seq(add, 0))\n"), "parts"));
  CHECK_FALSE(decides(checked(start + "y |> reduce_seq(add, total(x))\n"), "parts"));
}

TEST_CASE("space: sums are decided about where one update has them, not of several together") {
  // Of pairs, so that no loop writes them; what stands around is made by a sum.
  const auto decided = [](const std::string& result, Target target) {
    const Space s =
        checked("param u, x : 9.f64\nparam v, w : 5.f64\nparam z : 40.f64\nresult = " + result + "\n", 4,
                options(target));
    return decides(s, "lanes");
  };
  const auto block = [](const std::string& v, const std::string& with) {
    return "zip(" + v + " |> pad(1, 0, constant " + with + "(z)), " + v + " |> pad(1, 0, constant 0))";
  };
  for (const Target target : {Target::openmp, Target::cuda}) {
    CHECK(decided("update(zip(u, x), 0, " + block("v", "total") + ")", target));
    CHECK_FALSE(decided("let a = update(zip(u, x), 0, " + block("v", "total") + ") in update(a, 3, " +
                            block("w", "most") + ")",
                        target));
  }
}

}  // namespace lift::space_settings_edges_test
