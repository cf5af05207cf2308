// What analyses of loops say where bounds of inner loops, values and variables belong to another iteration
// than it seems: never that accesses are apart, or rows alike, which are not.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "lower/analyses/iterations.hpp"
#include "lower/analyses/row_parts.hpp"
#include "lower/analyses/shared_accesses.hpp"
#include "lower/analyses/value_ranges.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::analysis_edges_test {
namespace {

Nat from(const char* name, const Nat& lower, const Nat& upper) { return Nat::fresh(name, lower, upper - 1); }
Term load(const std::string& array, const std::vector<Nat>& at) { return load_term(array, at, f64); }
Stmt store(const std::string& array, const std::vector<Nat>& at, const Term& value = constant_term(1, f64)) {
  return {Store{array, at, value}};
}
For loop(LoopKind kind, const Nat& var, const Nat& lower, const Nat& upper, Block body) {
  For f;
  f.kind = kind, f.var = var, f.lower = lower, f.upper = upper, f.body = std::move(body);
  return f;
}
For loop(const Nat& var, const Nat& lower, const Nat& upper, Block body) {
  return loop(LoopKind::Seq, var, lower, upper, std::move(body));
}
std::vector<Access> accesses_of(const Block& b) {
  static const std::map<std::string, bool> shared{{"s", false}};
  Accesses accesses(shared);
  for (const Stmt& s : b) accesses.of(s);
  return accesses.all;
}
Term half(const Term& a) { return apply_term(Op::Mul, f64, {a, constant_term(0.5, f64)}); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
const Term v = local_term("v", f64), w = local_term("w", f64);

/// Rows of which each is made by a loop along its columns.
For rows(const std::function<Block(Nat)>& before, const std::function<Block(Nat, Nat)>& column) {
  const Nat r = from("r", 1, 8), c = from("c", 4, 16);
  Block body = before(r);
  body.push_back({loop(c, 4, 16, column(r, c))});
  return loop(r, 1, 8, std::move(body));
}
std::string why_no_tiles(const For& f) {
  try {
    return row_parts(f).why_no_tiles;
  } catch (const UserError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE(
    "analysis edges: an inner loop that moves on with the iteration meets what the one before has written") {
  const Nat t = from("t", 0, 4), j = from("j", 2 * t, 2 * t + 2), i = from("i", 0, 5);
  const Block body{store("s", {j + 2, i}, load("s", {j, i + 1}))};
  const For inner = loop(LoopKind::Glb, i, 0, 5, {{loop(j, 2 * t, 2 * t + 2, body)}});
  const For outer = loop(j, 2 * t, 2 * t + 2, {{loop(LoopKind::Glb, i, 0, 5, body)}});
  CHECK(crosses_items(loop(t, 0, 4, {{inner}})));
  CHECK(crosses_items(loop(t, 0, 4, {{outer}})));
}

TEST_CASE(
    "analysis edges: items that begin where an inner loop says are not those of another of its iterations") {
  const Nat k = from("k", 0, 4), y = from("y", k, k + 8);
  const auto all =
      accesses_of({{loop(k, 0, 4, {{loop(LoopKind::Lcl, y, k, k + 8, {store("s", {y}, load("s", {y}))})}})}});
  REQUIRE(all.size() == 2);
  CHECK_FALSE(same_item(all[0], all[1], {0}));
}

TEST_CASE("analysis edges: positions that are computed may be any") {
  const Nat i = from("i", 0, 8), c = position_of(load_term("at", {i}, i32), 9);
  const auto all = accesses_of({{loop(LoopKind::Lcl, i, 0, 8, {store("s", {c})})},
                                {loop(LoopKind::Lcl, i, 0, 8, {store("y", {Nat(0)}, load("s", {c + 1}))})}});
  REQUIRE(all.size() == 2);
  CHECK_FALSE(disjoint(all[0], all[1]));
}

TEST_CASE("analysis edges: iterations whose inner loops reach into one another depend on each other") {
  const Nat i = from("i", 0, 8);
  const auto stores = [&](int n, const std::function<Block(Nat)>& body) {
    const Nat j = from("j", 0, n);
    return loop(i, 0, 8, {{loop(j, 0, n, body(j))}});
  };
  CHECK(are_independent(stores(4, [&](Nat j) { return Block{store("y", {4 * i + j})}; })));
  CHECK_FALSE(are_independent(stores(5, [&](Nat j) { return Block{store("y", {4 * i + j})}; })));
  CHECK_FALSE(are_independent(stores(4, [&](Nat j) { return Block{store("y", {i + j})}; })));
  CHECK_FALSE(are_independent(
      stores(4, [&](Nat j) { return Block{store("y", {4 * i + j}, load("y", {4 * i + j + 1}))}; })));
}

TEST_CASE("analysis edges: a variable that one side assigns keeps statements in their order") {
  const Block reads{store("z", {Nat(1)}, v)}, assigns{{Assign{v, constant_term(1, f64)}}};
  CHECK_FALSE(may_precede(reads, assigns));
  CHECK_FALSE(may_precede(assigns, reads));
  CHECK_FALSE(may_precede(assigns, assigns));
}

TEST_CASE("analysis edges: a quotient of any number of 64 bits has both signs") {
  const Kernel none;
  const ValueRanges r(none);
  const Term any = load_term("x", {Nat(0)}, i64);
  const Term quotient = apply_term(Op::Div, i64, {any, constant_term(4, i64)});
  CHECK(r.of(quotient).lower == -(std::int64_t{1} << 61));
  CHECK(r.of(quotient).upper == (std::int64_t{1} << 61) - 1);
  const Program p = parse_program(
      "param a : 64.u8\nparam s : 1.i64\nresult = a |> map_vec<16>(\\x. i32(x) < i32(min(s[0] / 4, "
      "i64(100))))");
  test::LoopRunner loops;
  const Kernel k = lower(p, {.vector_bytes = 64, .target = Target::openmp});
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 77);
  loops.arrays["a"].assign(64, 0), loops.arrays["s"] = {-20};
  loops.run(k);
  CHECK(loops.arrays.at(k.results[0]) == std::vector<double>(64, 0));  // 0 < -5
}

TEST_CASE(
    "analysis edges: values at the head of a row that its columns change are not computed again in tiles") {
  const auto carried = rows(
      [](const Nat& r) {
        return Block{{Declare{v, load("y", {r - 1, 4})}}, {Let{w, half(v)}}};
      },
      [](const Nat& r, const Nat& c) {
        return Block{{Assign{v, sum(half(v), load("x", {r, c}))}}, store("y", {r, c}, sum(v, w))};
      });
  const auto overwritten = rows(
      [](const Nat& r) {
        return Block{{Let{w, half(load("y", {r, 6}))}}};
      },
      [](const Nat& r, const Nat& c) {
        return Block{store("y", {r, c + 2}, sum(load("x", {r, c}), w))};
      });
  const auto apart = rows(
      [](const Nat& r) {
        return Block{{Let{w, half(load("x", {r, 6}))}}};
      },
      [](const Nat& r, const Nat& c) {
        return Block{store("y", {r, c}, sum(load("x", {r, c}), w))};
      });
  CHECK(why_no_tiles(carried) != "");
  CHECK(why_no_tiles(overwritten) != "");
  CHECK(why_no_tiles(apart) == "");
}

TEST_CASE("analysis edges: rows that hand a variable on do not go together") {
  const auto handed_on =
      rows([](const Nat&) { return Block{}; },
           [](const Nat& r, const Nat& c) {
             return Block{{Assign{v, sum(half(v), load("x", {r, c}))}}, store("y", {r, c}, v)};
           });
  CHECK_THROWS_AS(row_parts(handed_on), UserError);
}

}  // namespace lift::analysis_edges_test
