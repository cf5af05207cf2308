// Rules at the edges of what they allow: bases of updates that are views, values that are overwritten behind
// several names, results and components that are no arrays.
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/rewrite/rule_cases.hpp"

using namespace lift;
using namespace lift::test;

namespace rules_edges_test {
namespace {

int how_many(const Expr& e, Op op) {
  int n = e.is(op) ? 1 : 0;
  for (const Expr& c : e.children()) n += how_many(c, op);
  return n;
}

/// Sums of neighbours, two tiles at a time.
const std::string tiled = " |> slide(3, 1) |> split(2) |> map(\\t. t |> map(\\w. w[0] + w[2])) |> join";

}  // namespace

TEST_CASE("rules: a stage that another one overwrites through a view of it is kept in no ring") {
  const std::string a = "param x : 40.f64\nresult = let a = to_global(x |> map(\\v. v * 2.0)) in let b = ",
                    more = " |> map(\\v. v + 1.0)";
  for (const std::string base : {"a", "a |> reverse |> reverse", "a |> split(8) |> join"}) {
    const std::string b = "update_in_place(" + base + ", 1, a |> drop(1, 1)" + more + ")";
    check_refused({{"rings", "", a + b + " in b" + more, "none needs a ring"}});
    const RuleCase longer{"rings", "", a + b + " in let c = b" + more + " in c" + more, "ring"};
    const Program q = check_made(longer, longer.program());
    CHECK(how_many(q.body, Op::Ring) == 1);
    CHECK(q.body.child(1).child(0).child(1).child(0).child(0).is(Op::Ring));  // c
  }
  // An update of another array says nothing about the stage.
  check_made({{"rings", "",
               "param x, y : 40.f64\noverwrite y\nresult = let a = x |> map(\\v. v * 2.0) in let b = "
               "update_in_place(y |> reverse |> reverse, 1, a |> drop(1, 1)) in b |> map(\\v. v + 1.0)",
               "ring"}});
}

TEST_CASE("rules: tiles are copied of what is read for an update, not of what is overwritten") {
  const std::string x = "param x, z : 10.f64\noverwrite x, z\nresult = ",
                    first = "update_in_place(x, 1, z |> drop(1, 1) |> map_seq(\\v. v + 1.0)) |> reverse";
  check_made({{"stage 0", "map", x + "update_in_place(" + first + ", 1, z" + tiled + ")", "to_local"}});
  check_refused({{"stage 0", "map", x + "let v = " + first + " in update_in_place(v, 1, v" + tiled + ")",
                  "array 0 is overwritten"}});
  // The named sums are stored in the one array at once, and only then read for the other.
  const auto sums = [&](const std::string& at_once, const std::string& later) {
    return x + "let v = x" + tiled + " in {update_in_place(" + at_once + ", 1, v), update_in_place(" + later +
           ", 1, v |> map_seq(\\e. 2.0 * e))}";
  };
  const RuleCase made{"stage 0", "map", sums("z", "x"), "to_local"};
  check_made(made, made.program());
  run(made.program());
  check_refused({{"stage 0", "map", sums("x", "z"), "array 0 is overwritten"}});
}

TEST_CASE("rules: the base of an update in place is the array whose elements it leaves") {
  const std::string xy = "param x, y : 8.f64\noverwrite x, y\nresult = ",
                    views = " |> reverse |> pad(1, 1, wrap) |> drop(1, 1)",
                    block = ", 1, x |> drop(1, 1) |> map(\\v. v + 1.0))",
                    rows = "param x : 3.8.f64\noverwrite x\nresult = x |> map(\\r. ";
  // The array itself, behind views.
  const RuleCase cut{"update-in-place", "", xy + "update(x |> reverse" + views + block, "update_in_place(x"};
  run(check_made(cut, cut.program()));
  // A permutation of it that has a name, or is computed, is another array.
  for (const std::string& p :
       {xy + "let v = x |> reverse in update(v" + views + block,
        xy + "update(x |> reverse |> map(\\v. v)" + views + block,
        xy + "update((unzip(zip(x, y) |> reverse)).0" + views + block,
        xy + "update(zip(x, y) |> reverse |> map(\\(a, b). a)" + views + block,
        rows + "r |> reverse) |> map(\\q. update(q" + views +
            ", 1, q |> reverse |> drop(1, 1) |> map(\\v. v + 1.0)))",
        rows + "let q = r |> reverse in update(q" + views + ", 1, r |> drop(1, 1) |> map(\\v. v + 1.0)))"}) {
    CAPTURE(p);
    check_refused({{"update-in-place", "", p, "the base is computed"}});
  }
}

TEST_CASE("rules: tiles within a function that nothing is known to apply") {
  const Expr x = param("x", array({Nat(10)}, f64)), y = param("y", array({Nat(10)}, f64));
  const Expr tiles = slide({3}, {1}, x) | split(Nat(2)) |
                     map([](Expr t) { return t | map([](Expr w) { return w[0] + w[2]; }); });
  for (const bool of_itself : {false, true}) {
    CAPTURE(of_itself);
    const Expr f =
        lambda({x, y}, make(Op::UpdateInPlace, {of_itself ? x : y, join(tiles)}, attributes::nats({Nat(1)})));
    const Site site{part_at(f, {0, 1, 0}), {f, part_at(f, {0}), part_at(f, {0, 1})}};
    REQUIRE(site.e.is(Op::Map));
    const auto made = apply(find_rule("stage"), site, {0});
    REQUIRE_MESSAGE(bool(made) != of_itself, made.reason());
    if (of_itself) {
      CHECK(made.reason().find("array 0 is overwritten") != std::string::npos);
      continue;
    }
    CHECK(how_many(*made, Op::ToLocal) == 1);
    Gen g(3);
    const std::map<std::string, Value> values{{"x", g.value(x.type())}, {"y", g.value(y.type())}};
    const auto value = [&](const Expr& function) {
      return interpret(instantiate(function, std::vector{x, y}), values);
    };
    CHECK(identical(value(f), value(replaced_at(f, {0, 1, 0}, *made))));
  }
}

TEST_CASE("rules: an update in place stays where its base lies, whatever else is said of it") {
  const auto at = [](const std::string& op, const std::string& value) {
    return "param x : 8.f64\noverwrite x\nresult = let a = " + op + "(" + value + ") in a |> map_seq(\\v. v)";
  };
  const std::string update = "update_in_place(x, 1, x |> drop(1, 1) |> map_seq(\\v. v + 1.0))",
                    computed = "x |> map_seq(\\v. v + 1.0)";
  for (const std::string op : {"to_global", "async", "stream"}) {
    check_refused({{"to-private", op, at(op, update), "an update in place lies where its base lies"},
                   {"to-local", op, at(op, update), "an update in place lies where its base lies"},
                   {"to-private", op, at(op, "stream(async(" + update + "))"),
                    "an update in place lies where its base lies"}});
    check_made({{"to-private", op, at(op, computed), " |> to_private"}});
  }
}

TEST_CASE("rules: bases that are views of the array which is overwritten") {
  const std::string xy = "param x, y : 8.f64\noverwrite x\nresult = update(",
                    block = ", 1, x |> drop(1, 1) |> map(\\v. v + 1.0))";
  // Views alone, without any element that is added or cut off.
  for (const std::string base : {"(x |> split(8))[0]", "(x |> split(4) |> join |> split(8))[0]"}) {
    const RuleCase c{"update-in-place", "", xy + base + block, "update_in_place((x |> split("};
    run(check_made(c, c.program()));
  }
  // What is added is cut off again.
  const std::string cut = " |> join |> pad(1, 1, wrap) |> drop(1, 1)";
  const RuleCase c{"update-in-place", "", xy + "x |> split(4)" + cut + block, "update_in_place(x, 1"};
  run(check_made(c, c.program()));
  // Each element is that of x at its position, but what it is taken of has another type.
  check_refused({
      {"update-in-place", "", xy + "x |> split(4) |> map(\\c. c)" + cut + block, "the base is computed"},
      {"update-in-place", "", xy + "concat(x, y) |> drop(0, 8)" + block, "the base is computed"},
  });
}

TEST_CASE("rules: two arrays take turns where a chain's result is what its stages make") {
  const std::string chain =
      "param x : 40.f64\ndef s(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])\n"
      "result = let a = s(x) in let b = s(a) in let c = s(b) in ";
  check_refused({
      {"two-arrays", "", chain + "sum(c)", "its result is f64, another one than each stage makes"},
      {"two-arrays", "", chain + "{c, sum(c)}", "another one than each stage makes"},
      {"two-arrays", "", chain + "{c, 1.0}", "another one than each stage makes"},
      {"two-arrays", "", chain + "{c, x[0]}", "another one than each stage makes"},
  });
  const RuleCase made{"two-arrays", "", chain + "s(c)", "update_in_place"};
  run(check_made(made, made.program()));
}

TEST_CASE("rules: numbers beside an array around a period have no planes beyond it") {
  const std::string s =
      "param x : 8.f64\ndef s(x) = x |> pad(1, 1, wrap) |> slide(3, 1) |> map(\\w. w[0] + 2.0 * w[2])\n"
      "result = let t = {x |> map(\\v. v + 1.0), ";
  for (const std::string numbers : {"zip(x, x |> reverse)[2]", "{x[1], x[2]}"}) {
    const RuleCase c{"wrap-once", "", s + numbers + "} in let b = s(t.0) in {s(b), t.1.0 - t.1.1}", ""};
    const Program q = check_made(c, c.program());
    CHECK(how_many(q.body, Op::Pad) == 1);  // of x alone
  }
}

}  // namespace rules_edges_test
