// Layouts of arrays of the kernel's own: named values, tiles of an iteration, steps of iterations. What is
// computed is the same; what is allocated is as long as the layout says.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/storage.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::own_layouts_test {
namespace {

using test::program;
using test::run;

Expr doubled(const Expr& x) {
  const int rank = rank_of(x.type());
  return map_n(
      rank, [](Expr v) { return v * 2.0; }, x);
}
Expr crosses(const Expr& x) {
  return x | pad2(1, 1, clamp) | slide2(3, 1) |
         map2([](Expr w) { return w[1][1] + w[0][1] - w[1][0] + w[1][2] - w[2][1]; });
}
Expr named(const std::string& layout, const Expr& value) {
  return let(in_layout(parse_layout(layout), value), crosses);
}
std::vector<Type> own_arrays(const Kernel& k) {
  std::vector<Type> all;
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) all.push_back(a->type);
  });
  for (const KernelArgument& a : k.arguments)
    if (a.work) all.push_back(a.type);
  return all;
}

}  // namespace

TEST_CASE("a named value in any layout, at odd sizes") {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 7}, {5, 9}, {7, 13}, {64, 65}, {90, 101}})
    for (const char* layout : {"rows 8 1", "rows 4 0", "split 2 1", "split 2 8", "split 1 4"}) {
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(layout);
      const Expr a = param("a", array({Nat(rows), Nat(columns)}, f64));
      const Kernel k = run(program({a}, named(layout, doubled(a))));
      const Layout expected(parse_layout(layout), a.type());
      CHECK(own_arrays(k) == std::vector<Type>{array({expected.size()}, f64)});
      for (const KernelArgument& x : k.arguments) CHECK(x.layout.request() == LayoutRequest{});
    }
}

TEST_CASE("it has an array of its own where it would have been in variables, or in the result") {
  const Expr a = param("a", array({Nat(3), Nat(5)}, f64));
  const LayoutRequest rows = parse_layout("rows 8 0");
  CHECK(
      own_arrays(run(program({a}, let(in_layout(rows, doubled(a)), [](Expr y) { return y | split(1); })))) ==
      std::vector<Type>{array({24}, f64)});
  const Expr row = param("row", array({Nat(5)}, f64));
  CHECK(own_arrays(run(program({row}, let(in_layout(rows, doubled(row)),
                                          [](Expr y) {
                                            return y | slide(2, 1) | map([](Expr w) { return w[0] * w[1]; });
                                          }))))
            .size() == 1);
}

TEST_CASE("what is said of where it lies goes with the layout, on either side of it") {
  const Expr a = param("a", array({Nat(6), Nat(9)}, f64));
  const LayoutRequest split = parse_layout("split 2 4");
  for (const Op op : {Op::ToPrivate, Op::ToGlobal})
    for (const Expr& value :
         {make(op, {in_layout(split, doubled(a))}), in_layout(split, make(op, {doubled(a)}))}) {
      const Program p = program({a}, let(value, crosses));
      CHECK(own_arrays(run(p)) == std::vector<Type>{array({Layout(split, a.type()).size()}, f64)});
      CHECK(with_storage(with_storage(p)).body == with_storage(p).body);
      std::string stored;
      visit(with_storage(p).body, [&](const Expr& e) {
        if (e.is(Op::ToPrivate) || e.is(Op::ToGlobal)) stored += std::string(text(e.op())) + " ";
      });
      CHECK(stored == std::string(text(op)) + " ");
    }
}

TEST_CASE("arrays of an iteration, of threads and of a grid, pairs, and the steps of an iteration") {
  const Expr a = param("a", array({Nat(4), Nat(6), Nat(11)}, f64));
  for (const Op op : {Op::Map, Op::MapPar, Op::MapGlb})
    for (const char* layout : {"rows 4 1", "split 2 4"}) {
      CAPTURE(layout);
      const auto plane = function_of(a.type().element(), [&](Expr x) { return named(layout, doubled(x)); });
      run(program({a}, op == Op::MapGlb ? map_with(op, 1, plane, a, {0}) : map_with(op, 1, plane, a)));
    }
  const Expr b = param("b", array({Nat(7), Nat(9)}, f64));
  const LayoutRequest split = parse_layout("split 2 4");
  const Expr pairs = b | map2([](Expr v) { return tuple({v + 1.0, v * v}); });
  CHECK(own_arrays(run(program({b}, let(in_layout(split, pairs),
                                        [](Expr p) {
                                          return p | slide2(2, 1) | map2([](Expr w) {
                                                   return get(0, w[0][1]) * get(1, w[1][0]);
                                                 });
                                        }))))
            .size() == 2);
  for (const std::int64_t times : {1, 2, 5, 9}) {
    const Expr steps = iterate(times, fun(b.type(), [&](Expr x) { return in_layout(split, crosses(x)); }), b);
    for (const Type& t : own_arrays(run(program({b}, steps))))
      CHECK(t == array({Layout(split, b.type()).size()}, f64));
  }
}

TEST_CASE("scans and updates in a layout") {
  const Expr a = param("a", array({Nat(6), Nat(9)}, f64));
  const LayoutRequest rows = parse_layout("rows 8 3");
  const Expr sums =
      a | map([](Expr row) { return row | scan([](Expr s, Expr v) { return s + v; }, literal(0, f64)); });
  run(program({a}, let(in_layout(rows, sums), crosses)));
  const Expr updated = update(a, {1, 2}, a | drop2(2, 3) | map2([](Expr v) { return v * 3.0; }));
  run(program({a}, let(in_layout(rows, updated), crosses)));
  const Expr block = a | drop2(1, 1) | map2([](Expr v) { return v * 3.0; });
  const Expr in_place = make(Op::UpdateInPlace, {a, block}, update(a, {1, 1}, block).attr());
  CHECK_THROWS_WITH_AS(lower(program({a}, let(in_layout(rows, in_place), crosses), {"a"})),
                       doctest::Contains("layout: an update in place lies where its base lies"), UserError);
  CHECK_THROWS_WITH_AS(lower(program({a}, named("split 3 4", doubled(a)))),
                       doctest::Contains("layout split over 3 axes"), UserError);
}

TEST_CASE("the rule in-layout gives a named value a layout, and nothing else one") {
  const Expr a = param("a", array({Nat(6), Nat(9)}, f64));
  const Program p = program({a}, let(doubled(a), crosses));
  const auto given = apply(find_rule("in-layout"), p, {0}, {"split", "2", "4"});
  REQUIRE(given);
  CHECK(own_arrays(run(*given)) ==
        std::vector<Type>{array({Layout(parse_layout("split 2 4"), a.type()).size()}, f64)});
  const auto why = [&](const Program& q, const Place& at, const Arguments& words) {
    const auto r = apply(find_rule("in-layout"), q, at, words);
    return r ? std::string() : r.reason();
  };
  CHECK(why(*given, {0}, {"rows", "8", "1"}).find("in a layout already") != std::string::npos);
  CHECK(why(p, {0}, {"split", "3", "4"}).find("rank of as many") != std::string::npos);
  CHECK(why(p, {0}, {"diagonal"}).find("is not known") != std::string::npos);
  CHECK(why(program({a}, let(a, crosses)), {0}, {"rows", "8", "1"}).find("arguments get layouts") !=
        std::string::npos);
}

}  // namespace lift::own_layouts_test
