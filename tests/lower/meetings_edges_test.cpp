// Where accesses of different iterations or rows meet, where that hangs on the range of an inner loop, on
// what has been said before, or on which of two rows comes later.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/analyses/iterations.hpp"
#include "lower/analyses/other_variables.hpp"
#include "lower/analyses/row_parts.hpp"
#include "lower/analyses/shared_accesses.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_kernel.hpp"

namespace lift::meetings_edges_test {
namespace {

Nat from(const char* name, const Nat& lower, const Nat& upper) { return Nat::fresh(name, lower, upper - 1); }
Term load(const std::string& array, const std::vector<Nat>& at) { return load_term(array, at, f64); }
Stmt store(const std::string& array, const std::vector<Nat>& at, const Term& value = constant_term(1, f64)) {
  return {Store{array, at, value}};
}
Term half(const Term& a) { return apply_term(Op::Mul, f64, {a, constant_term(0.5, f64)}); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
For loop(const Nat& var, const Nat& lower, const Nat& upper, Block body, LoopKind kind = LoopKind::Seq) {
  For f;
  f.kind = kind, f.var = var, f.lower = lower, f.upper = upper, f.body = std::move(body);
  return f;
}

constexpr int kRows = 9, kColumns = 24;  // of x and y; rows 1 to 7 are made, by loops over columns 4 to 15

For rows(const std::function<Block(Nat)>& row) {
  const Nat r = from("r", 1, 8);
  return loop(r, 1, 8, row(r));
}
Stmt along(const std::function<Block(Nat)>& column) {
  const Nat c = from("c", 4, 16);
  return {loop(c, 4, 16, column(c))};
}
test::LoopsRun run(const Block& b, unsigned turns = 0) {
  Kernel k;
  for (const char* name : {"x", "y"}) {
    const Type t = array({kRows, kColumns}, f64);
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
    k.results.emplace_back(name);
  }
  k.body = b;
  linearise(k);
  return test::run_loops(k, 1, turns);
}

}  // namespace

TEST_CASE("meetings: what keeps statements in their order is not forgotten for what comes after") {
  const Term a = local_term("a", f64), b = local_term("b", f64), one = constant_term(1, f64);
  const Stmt uses_a = store("z", {Nat(1)}, a), sets_b = {Assign{b, one}};
  struct Case {
    std::string name;
    Block later, statements;
    bool may;
  };
  const std::vector<Case> cases{
      {"a variable of others", {store("z", {Nat(1)}), sets_b}, {{Let{a, one}}}, true},
      {"a value of theirs, and then a variable of others", {uses_a, sets_b}, {{Let{a, one}}}, false},
      {"a variable of others, and then a value of theirs", {sets_b, uses_a}, {{Let{a, one}}}, false},
      {"threads wait, before a variable of others", {sets_b}, {{Barrier{}}}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(may_precede(c.later, c.statements) == c.may);
  }
}

TEST_CASE("meetings: an index that is computed is one number in all of a position") {
  const Nat c = Nat::computed("c", 0, 7), d = Nat::computed("d", c, c + 2);
  const std::vector<Nat> other = with_other_inner({d - c, c}, {});
  REQUIRE(other.size() == 2);
  for (const Nat& n : other) {
    CHECK_FALSE(mentions(n, c));
    CHECK_FALSE(mentions(n, d));
  }
  CHECK(Facts().proves_nonnegative(other[0]));
  CHECK(Facts().proves(less_equal(other[0], 2)));
  const auto at = [](const Nat& row, const Nat& column, bool write) {
    Access a;
    a.array = "s", a.position = {row, column}, a.write = write;
    return a;
  };
  CHECK(disjoint(at(3, 0, true), at(d - c, c, false)));
  CHECK_FALSE(disjoint(at(2, 0, true), at(d - c, c, false)));
}

TEST_CASE("meetings: an inner loop that ends where the iteration says reaches further in a later one") {
  const Nat t = from("t", 1, 4), i = from("i", 0, 5), j = from("j", 0, t);
  // In iteration t row t is stored, and rows before are loaded; in later ones row t, too.
  const auto crosses = [&](const Nat& row) {
    const Stmt s = store("s", {t, i}, load("s", {row, i + 1}));
    return crosses_items(loop(t, 1, 4, {{loop(i, 0, 5, {{loop(j, 0, t, {s})}}, LoopKind::Glb)}}));
  };
  CHECK(crosses(j));
  CHECK_FALSE(crosses(j + 4));
}

TEST_CASE("meetings: a value at the head of a row is computed again in tiles where no later row changes it") {
  const Term v = local_term("v", f64);
  struct Case {
    std::string name, no_tiles;
    For together;
  };
  const auto y = [](const Nat& r, const Nat& c) { return load("y", {r, c}); };
  const auto x = [](const Nat& r, const Nat& c) { return load("x", {r, c}); };
  const auto below = [&](int column) {
    return rows([&, column](const Nat& r) {
      return Block{{Let{v, half(y(r + 1, column))}}, along([&](const Nat& c) {
                     return Block{store("y", {r, c}, sum(v, x(r, c)))};
                   })};
    });
  };
  const std::vector<Case> cases{
      {"of the row below, as it was", "a row's v is computed once", below(4)},
      {"of the row below, further to the right", "a row's v is computed once", below(9)},
      {"of the row below, beyond what is stored", "", below(3)},
      {"of what the same row has stored before", "", rows([&](const Nat& r) {
         return Block{along([&](const Nat& c) {
                        return Block{store("x", {r, c}, half(y(r - 1, c)))};
                      }),
                      {Let{v, x(r, 4)}},
                      along([&](const Nat& c) {
                        return Block{store("y", {r, c}, sum(v, x(r, c)))};
                      })};
       })},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const RowParts parts = row_parts(c.together);
    CHECK(parts.right == 0);
    CHECK(parts.why_no_tiles == c.no_tiles);
    const auto expected = run({{c.together}});
    for (const int tiles : {0, 1})
      for (const unsigned order : {0U, 1U}) {
        if (tiles > 0 && !parts.why_no_tiles.empty()) continue;
        For f = c.together;
        f.rows = 3, f.columns = 2, f.turns = 2 * tiles;
        const auto found = run(rows_abreast({{f}}), order);
        CAPTURE(tiles);
        CHECK(found.results == expected.results);
        CHECK(found.races.empty());
      }
  }
}

}  // namespace lift::meetings_edges_test
