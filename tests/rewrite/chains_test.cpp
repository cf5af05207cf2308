// What chains are, which arrays their stages and steps overwrite, and what their loops are: programs on
// either side.
#include <doctest/doctest.h>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/component_views.hpp"
#include "rewrite/analysis/lets_outside.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/analysis/parts.hpp"
#include "rewrite/analysis/rows.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/analysis/stage_loops.hpp"
#include "rewrite/analysis/vector_loads.hpp"
#include "rewrite/analysis/written_element.hpp"
#include "tests/message.hpp"

namespace lift::chains_test {
namespace {

Program program(const std::string& text) { return parse_program(text, "chains.lift"); }
Expr body(const std::string& text) {
  return program(
             "param u : 6.8.f64\nparam v : 6.8.f64\nparam x : 80.f64\nparam s : f64\noverwrite x\nresult = " +
             text)
      .body;
}
std::string text_of(const std::optional<Expr>& e) { return e ? str(*e) : "none"; }

}  // namespace

TEST_CASE("chains: an array that the maps around go over twice is one argument of the chain") {
  const Chain chain = chain_of(program(
      "param u : 6.8.f64\nresult = zip(u, u) |> map(\\(a, b). let c = a |> map(\\x. x + 1.0) in zip(c, b) "
      "|> map(\\(x, y). x * y))"));
  REQUIRE(chain.stages.size() == 2);
  int rows = 0;
  for (const Expr& a : chain.arguments) rows += a.type() == array({Nat(8)}, f64);
  CHECK(rows == 1);
}

TEST_CASE("chains: what a step makes may lie in its state's array, if its last update is of that array") {
  const auto overwritable = [](const std::string& result, std::vector<std::string> state) {
    Program p = program("param x : 80.f64\nparam y : 80.f64\noverwrite x\nresult = " + result);
    p.state = std::move(state);
    return chain_of(p).overwritable;
  };
  using Names = std::vector<std::string>;
  const std::string update = "update(x, 1, x |> drop(1, 1) |> map(\\v. v + 1.0))",
                    other = "let a = y |> map(\\v. v * 2.0) in a |> map(\\v. v + 1.0)";
  CHECK(overwritable(update, {"x"}) == Names{"x"});
  CHECK(overwritable("let a = " + update + " in a |> map(\\v. v + 1.0)", {"x"}) == Names{});
  CHECK(overwritable(other, {"x"}) == Names{});
  CHECK(overwritable(other, {""}) == Names{"x"});  // a component that is no argument's
  CHECK(overwritable("{y |> map(\\v. v + 1.0), " + update + "}", {"", "x"}) == Names{"x"});
  CHECK(overwritable("{y |> map(\\v. v + 1.0), " + update + "}", {"x", ""}) == Names{});
}

TEST_CASE("chains: a schedule is that of the program, or of the step that it stands in") {
  const std::string chain = "(let a = x |> map(\\v. v + 1.0) in a |> map(\\v. v * 2.0))",
                    banded = chain + " |> band<skewed>(0, 1, (0, 0))";
  const auto scheduled = [](const std::string& text) {
    return scheduled_program(program("param x : 80.f64\nresult = " + text));
  };
  const auto bands = [](const Program& p) { return chain_of(p).bands.size(); };
  CHECK(bands(scheduled(banded)) == 1);
  const Program step = scheduled("x |> iterate(3, \\x. " + banded + ")");
  CHECK(!step.body.is(Op::Iterate));
  CHECK(bands(step) == 1);
  // What the iteration starts with is no step of it.
  CHECK(scheduled("(" + banded + ") |> iterate(3, \\x. x |> map(\\v. v + 1.0))").body.is(Op::Iterate));
  CHECK(test::message([&] { scheduled("{x |> iterate(3, \\x. " + banded + "), " + banded + "}"); }) ==
        "band: there is one schedule within an iteration, and another one; have one of them");
}

TEST_CASE("chains: which array an update below maps is of") {
  const auto updated = [](const std::string& text) { return text_of(updated_array(body(text))); };
  const std::string row = "|> drop(1, 1) |> map(\\e. e + 1.0))";
  CHECK(updated("update2(u, 1, u |> drop2(1, 1) |> map2(\\e. e + 1.0)) |> to_global") == "u");
  CHECK(updated("u |> map(\\r. update(r, 1, r " + row + ")") == "u");
  CHECK(updated("zip(v, u) |> map(\\(q, r). update(r, 1, q " + row + ")") == "u");
  CHECK(updated("u |> map(\\r. r |> map(\\e. e + 1.0))") == "none");
  CHECK(updated("u |> map2(\\e. e + 1.0)") == "none");
  // The updated array is that of another map's element.
  CHECK(updated("u |> map(\\r. v |> map(\\q. update(r, 1, q " + row + "))") == "none");
  CHECK(updated("zip(u, v) |> map(\\p. v |> map(\\q. update(p.0, 1, q " + row + "))") == "none");
  // An array of pairs that are not put together here.
  const Expr pairs = param("pairs", array({Nat(6)}, Type::tuple({array({Nat(8)}, f64), f64})));
  CHECK(text_of(updated_array(pairs | map([](Expr p) {
                                return update(get(0, p), {0},
                                              get(0, p) | map([](Expr e) { return e + 1.0; }));
                              }))) == "none");
}

TEST_CASE("chains: what steps do with the arrays that they hand on") {
  const auto parts = [](const std::string& text) { return parts_of_steps(body(text)); };
  using Parts = std::vector<StepPart>;
  constexpr auto turns = StepPart::turns, handed_on = StepPart::handed_on,
                 overwritten = StepPart::overwritten;
  const std::string more = "|> map(\\e. e + 1.0)",
                    in_place = "update_in_place(y, 1, y |> drop(1, 1) " + more + ")";
  CHECK(parts("x |> iterate(3, \\y. y " + more + ")") == Parts{turns});
  CHECK(parts("x |> iterate(3, \\y. " + in_place + ")") == Parts{overwritten});
  CHECK(parts("x |> iterate(2, \\x. x |> iterate(3, \\y. " + in_place + "))") == Parts{overwritten});
  CHECK(parts("x |> iterate(2, \\x. (x |> iterate(3, \\y. y " + more + ")) " + more + ")") == Parts{turns});
  CHECK(parts("x |> iterate(2, \\x. let a = x |> iterate(3, \\y. y " + more +
              ") in update_in_place(a, 1, a |> "
              "drop(1, 1) " +
              more + "))") == Parts{turns});
  CHECK(parts("{x, x} |> iterate(3, \\y. {y.0 " + more + ", y.1})") == Parts{turns, handed_on});
  CHECK(parts("{x, x} |> iterate(3, \\y. {y.1, y.0})") == Parts{turns, turns});
  CHECK(parts("{x, x} |> iterate(3, \\y. {y.0, y.1})") == Parts{turns, turns});  // nothing is left to save
  CHECK(parts("{x, x} |> iterate(3, \\y. let a = y.0 in {a " + more + ", y.1})") == Parts{turns, handed_on});
  CHECK(parts("{x, s} |> iterate(3, \\y. {y.0 " + more + ", y.1})") ==
        Parts{turns, turns});  // a number has no place
  CHECK(parts("{x, x} |> iterate(2, \\y. let p = y |> iterate(3, \\z. {z.0 " + more +
              ", z.1}) in {p.0, p.1})") == Parts{turns, turns});
  // A pair that is iterated is no array that is overwritten.
  const Expr pair = body("{x, x} |> iterate(3, \\y. {y.0 " + more + ", y.1})");
  CHECK(!overwrites_base(pair));
  CHECK(overwrites_base(body("x |> iterate(3, \\y. " + in_place + ")")));
  CHECK(parts("{x, x} |> iterate(2, \\y. y |> iterate(3, \\z. {z.0 " + more + ", z.1}))") ==
        Parts{turns, turns});
}

TEST_CASE("chains: functions that are applied are looked into") {
  const auto levels = [](const std::string& text) { return main_nest(body(text)).levels; };
  const auto places = [](const std::string& text) { return loop_places(body(text)); };
  const std::string add = "|> map(\\e. e + 1.0)";
  REQUIRE(levels("(\\a. a " + add + ")(x)").size() == 1);
  CHECK(levels("(\\a. a " + add + ")(x)")[0].place == Place{0, 0});
  REQUIRE(levels("(\\a. a |> drop(1, 0))(x " + add + ")").size() == 1);
  CHECK(levels("(\\a. a |> drop(1, 0))(x " + add + ")")[0].place == Place{1});
  CHECK(levels("(\\a b. a)(x " + add + ", s)").empty());  // which of several arguments is not followed
  CHECK(places("(\\a. a " + add + ")(x)") == std::vector<Place>{{0, 0}});
  CHECK(places("(\\a. a " + add + ")(x |> map(\\e. e * 2.0))") == std::vector<Place>{{1}, {0, 0}});
  CHECK(places("(\\a b. a |> map(\\e. e + b))(x " + add + ", s * 2.0)") == std::vector<Place>{{1}, {0, 0}});

  const Footprint print =
      footprint(program("param x : 80.f64\nparam y : 80.f64\nresult = (\\a b. zip(a, b) |> "
                        "map(\\(p, q). p + q))(x, y |> drop(2, 0) |> pad(0, 2, clamp))"));
  CHECK(print.reads.at("x").low == std::vector<std::int64_t>{0});
  CHECK(print.reads.at("y").low == std::vector<std::int64_t>{2});
}

TEST_CASE("chains: sums over joined rows, and over rows, are looked at by any element of them") {
  const auto reduced = [](const std::string& result) {
    const Program p = program("param u : 30.8.f64\nparam w : 240.f64\nresult = " + result);
    const WrittenElement e = written_element(p, 0, Reductions::by_an_element);
    REQUIRE(e.reduced.size() == 1);
    return *Facts().bounds(e.reduced[0]).upper + 1;
  };
  const std::string sum = " |> reduce(\\a b. a + b, 0.0) |> (\\t. generate(3, \\i. t))";
  CHECK(reduced("w" + sum) == 240);
  CHECK(reduced("u |> join" + sum) == 8);
  CHECK(reduced("zip(w, u |> join) |> map(\\(a, b). a * b)" + sum) == 8);
  const Program rows = program(
      "param u : 70.4.f64\nresult = u |> map2(\\e. e * 2.0) |> reduce(\\t r. t + r[1], 0.0) |> (\\t. "
      "generate(3, \\i. t))");
  const WrittenElement e = written_element(rows, 0, Reductions::by_an_element);
  REQUIRE(e.reduced.size() == 1);
  const std::vector<Term> loads = loads_of(e.value);
  REQUIRE(loads.size() == 1);
  CHECK(loads[0]->nats == std::vector<Nat>{e.reduced[0], 1});
  CHECK(*Facts().bounds(e.reduced[0]).upper == 69);
}

TEST_CASE("chains: what a row reads of the row before it, of one array or of several") {
  const auto right = [](const std::string& scan) {
    const Expr e = body(scan);
    REQUIRE(is_scan(e.op()));
    return rows_before(e, {});
  };
  const std::string shifted = " |> drop(1, 0) |> pad(0, 1, clamp)";
  CHECK(right("u |> scan(\\b r. zip(b, r) |> map(\\(p, q). p + q), v[0])").right == 0);
  CHECK(right("u |> scan(\\b r. zip(b" + shifted + ", r) |> map(\\(p, q). p + q), v[0])").right == 1);
  const RowsBefore two = right("u |> scan(\\b r. {zip(b.0, r) |> map(\\(p, q). p + q), zip(b.0" + shifted +
                               shifted + ", b.1" + shifted + ") |> map(\\(p, q). p + q)}, {v[0], v[1]})");
  CHECK(two.right == 2);
  CHECK(two.obstacle == "");
  // What an update leaves, of a row that is computed of the one before.
  CHECK(right("u |> scan(\\b r. update(b" + shifted + shifted +
              " |> map(\\p. p + 1.0), 1, r |> drop(1, 1) |> map(\\p. p * 2.0)), v[0])")
            .right == 2);
  // Any distance, in the first of two arrays; the other is not looked at then.
  const RowsBefore any =
      right("u |> scan(\\b r. {generate(8, \\i. b.0[7] + r[0]), b.1 |> map(\\p. p + 1.0)}, {v[0], v[1]})");
  CHECK(any.right == 7);
  const Program sized = program(
      "size n = 8 where n >= 2\nparam u : 6.n.f64\nparam v : 6.n.f64\nresult = u |> scan(\\b r. {generate(n, "
      "\\i. b.0[n - 1] + r[0]), b.1 |> map(\\p. p + 1.0)}, {v[0], v[1]})");
  CHECK(rows_before(sized.body, {}).obstacle.find("any distance to the right") != std::string::npos);
  CHECK(right("u |> scan(\\t r. t + r[0], 0.0)").obstacle == "the scan's elements are f64, no rows");
  CHECK(right("u |> scan(\\t r. {t.0 + r[0], t.1 |> map(\\p. p + 1.0)}, {0.0, v[0]})").obstacle ==
        "the scan's elements are {f64, 8.f64}, no rows");
  // Rows that are scans of rows themselves: what an inner one begins with is read, too.
  const Expr planes = body(
      "generate(5, \\k. u) |> scan(\\b p. p |> scan(\\c r. zip(c, r) |> map(\\(f, g). f + g), b[2]), v)");
  CHECK(rows_before(planes, {}).right == 2);
}

TEST_CASE("chains: how far what is loaded moves with what is written") {
  const Nat i = Nat::fresh("i", 0, 99), j = Nat::fresh("j", 0, 99), n = Nat::size("n", 2);
  WrittenElement w;
  w.index = w.position = {i, j};
  const auto slope = [&](const Nat& position, std::size_t axis = 0) -> std::pair<std::int64_t, std::int64_t> {
    const auto s = slope_of({"x", {{position}, {}, {false}}, "x"}, w, axis);
    return s ? std::pair{s->numerator, s->denominator} : std::pair<std::int64_t, std::int64_t>{0, 0};
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  CHECK(slope(2 * i + 3) == Pair{2, 1});
  CHECK(slope(2 * i + j) == Pair{2, 1});
  CHECK(slope(7 - i) == Pair{0, 0});
  CHECK(slope(n * i) == Pair{0, 0});
  CHECK(slope(floordiv(i + 1, 2)) == Pair{1, 2});
  CHECK(slope(3 * floordiv(i, 2) + j) == Pair{3, 2});
  CHECK(slope(floordiv(i, 2) + floordiv(i, 3)) == Pair{0, 0});
  CHECK(slope(floordiv(n * i, 2)) == Pair{0, 0});
  CHECK(slope(floordiv(i, n)) == Pair{0, 0});
  CHECK(slope(floordiv(i * i, 2)) == Pair{0, 0});
  CHECK(slope(floordiv(i, 2) * floordiv(i, 2)) == Pair{0, 0});
  CHECK(slope(5 - floordiv(i, 2)) == Pair{0, 0});
  CHECK(slope(i, 1) == Pair{0, 0});  // an array of one dimension
}

TEST_CASE("chains: distances of loads at squares of halves are bounded by those of all cells") {
  const Nat i = Nat::fresh("i", 0, 7);
  WrittenElement w;
  w.index = w.position = {i};
  for (const Nat& position : {floordiv(i, 2) * floordiv(i, 2), 2 * floordiv(i, 2), 4 * floordiv(i + 1, 2) - i,
                              2 * floordiv(i, 2) * floordiv(i, 2) + i}) {
    CAPTURE(position.str());
    std::int64_t low = 1000, high = -1000;
    for (std::int64_t k = 0; k < 8; ++k) {
      const std::int64_t d = *simplify(substitute(position, i, Nat(k))).constant() - k;
      low = std::min(low, d), high = std::max(high, d);
    }
    const Distance d = distance_of({"x", {{position}, {}, {false}}, "x"}, w, 0, 1, 1);
    REQUIRE(d.bounded());
    CHECK(*d.min <= low);
    CHECK(*d.max >= high);
  }
}

TEST_CASE("chains: blocks that are put side by side are as many positions an iteration as they are long") {
  const auto each = [](const std::string& text, std::size_t axis) {
    const auto n = positions_an_iteration(
        program("size n = 8 where n >= 2\nparam u : 6.8.f64\nparam w : 6.n.f64\nparam x : 12.f64\nresult = " +
                text)
            .body,
        axis);
    return n ? *n : -1;
  };
  const std::string twice = "map(\\p. p |> map(\\e. e * 2.0))";
  CHECK(each("x |> map(\\e. e * 2.0)", 0) == 1);
  CHECK(each("x |> split(3) |> " + twice + " |> join", 0) == 3);
  CHECK(each("u |> " + twice + " |> join", 0) == 8);
  CHECK(each("w |> " + twice + " |> join", 0) == -1);  // of a length that is no number
  CHECK(each("u |> map(\\r. r |> split(2) |> " + twice + " |> join)", 0) == 1);
  CHECK(each("u |> map(\\r. r |> split(2) |> " + twice + " |> join)", 1) == 2);
  CHECK(each("u |> transpose", 0) == -1);
}

TEST_CASE("chains: neighbouring cells are loaded as vectors where positions move by one or two") {
  const auto vectors = [](const std::string& text) {
    return loads_vectors(program(
        "size n = 24 where n >= 2\nparam x : 400.f64\nparam y : 800.f64\nparam z : 24.n.f64\nresult = " +
        text));
  };
  CHECK(vectors("x |> map(\\e. e * 2.0)"));
  CHECK(vectors("y |> slide(2, 2) |> map(\\w. w[0] + w[1])"));
  CHECK(!vectors("y |> slide(4, 4) |> map(\\w. w[0] + w[1])"));
  CHECK(!vectors("x |> reverse |> map(\\e. e * 2.0)"));
  CHECK(!vectors("z |> map(\\r. r[0])"));  // rows of any length
  // A number that is iterated is a formula of what it begins with.
  CHECK(vectors("x |> map(\\e. e |> iterate(3, \\z. z * z + 1.0))"));
  CHECK(!vectors("y |> slide(4, 4) |> map(\\w. w[0] |> iterate(3, \\z. z * z + 1.0))"));

  const Nat k = Nat::fresh("k", 0, 99), i = Nat::fresh("i", 0, 99), j = Nat::fresh("j", 0, 99);
  const auto at = [&](const Nat& position, const Nat& cells, const Nat& block) {
    Footprint print;
    print.index = {j, i};
    print.reads["x"].positions = {{position}};
    return loads_vectors(print, cells, block);
  };
  CHECK(at(i + j, 100, 1));
  CHECK(at(i, 50, 2));
  CHECK(at(2 * i, 100, 1));
  CHECK(!at(Nat::size("n", 2) * i, 100, 1));  // by any number
  CHECK(!at(2 * i, 50, 2));                   // four elements from one cell to the next
  CHECK(!at(floordiv(i, 4), 100, 1));         // several cells have one element
  CHECK(at(i + floordiv(j, 4), 100, 1));
  CHECK(!at(floordiv(k, 4) + floordiv(i, 4) + floordiv(j, 4), 100, 1));
  CHECK(at(floordiv(i, 2), 50, 2));  // each cell of two has one
}

TEST_CASE("chains: a component that a map takes of each element is a way of looking at the array") {
  const Expr pairs = param("pairs", array({Nat(6)}, Type::tuple({f64, Type::tuple({f64, f64})})));
  const auto view = [](const Expr& e) { return str(with_component_views(e)); };
  CHECK(view(pairs | map([](Expr p) { return get(0, p); })) == "(pairs |> unzip).0");
  CHECK(view(pairs | map([](Expr p) { return get(1, get(1, p)); })) == "((pairs |> unzip).1 |> unzip).1");
  const Expr sums = pairs | map([](Expr p) { return get(0, p) + 1.0; });
  CHECK(with_component_views(sums) == sums);
  // What is taken of another map's element is none.
  const Expr outer = pairs | map([&](Expr q) { return pairs | map([&](Expr) { return get(0, q); }); });
  CHECK(with_component_views(outer) == outer);
  // Names of such views are names of no stage.
  const Expr named = let(pairs | map([](Expr p) { return get(1, p); }), [](Expr inner) {
    return let(inner | map([](Expr p) { return get(0, p); }),
               [](Expr a) { return a | map([](Expr v) { return v * 2.0; }); });
  });
  const Expr looked_at = with_component_views(named);
  CHECK(!contains(looked_at, [](const Expr& e) { return e.is(Op::Let); }));
}

}  // namespace lift::chains_test
