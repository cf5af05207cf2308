// What in-place proofs and colours make of conditions on positions, on either side of what they can prove:
// against all cells of a line.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/view.hpp"
#include "rewrite/analysis/cases.hpp"
#include "rewrite/analysis/colours.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "rewrite/analysis/stage_loads.hpp"

namespace lift::cases_test {
namespace {

using Condition = std::function<Expr(Expr)>;

/// x = update(x, 8, cells that satisfy a condition become the sum of those `far` to either side).
Program sweep(const Condition& condition, std::int64_t far) {
  const Nat n = 24;
  const Expr x = param("x", array({n + 16}, f64));
  const Expr windows = drop({8 - Nat(far)}, {8 - Nat(far)}, x) | slide(2 * Nat(far) + 1, 1);
  return {"sweep",
          {x},
          update(x, {8}, zip({iota(n), windows}) | map([=](Expr i, Expr w) {
                           return select(condition(i), w[0] + w[2 * far], w[far]);
                         })),
          {"x"},
          {}};
}
/// Whether no cell that is written is read by another one that is, by going through all of them.
bool apart(const std::function<bool(std::int64_t)>& condition, std::int64_t far) {
  for (std::int64_t i = 0; i < 24; ++i)
    for (const std::int64_t j : {i - far, i + far})
      if (condition(i) && j >= 0 && j < 24 && condition(j)) return false;
  return true;
}

struct Case {
  const char* name;
  Condition condition;
  std::function<bool(std::int64_t)> holds;
  bool proved = true;  ///< all that is so is proved, too
};
const std::vector<Case>& conditions() {
  static const auto& all = *new std::vector<Case>{
      {"even", [](Expr i) { return eq(i % 2, 0); }, [](auto i) { return i % 2 == 0; }},
      {"one of three", [](Expr i) { return eq((i + 2) % 3, 1); }, [](auto i) { return (i + 2) % 3 == 1; }},
      {"even, and one of three", [](Expr i) { return eq(i % 2, 0) && eq(i % 3, 0); },
       [](auto i) { return i % 2 == 0 && i % 3 == 0; }},
      {"of a product", [](Expr i) { return eq((i % 2) * (i % 2), 1); }, [](auto i) { return i % 2 == 1; },
       false},
      {"of two remainders", [](Expr i) { return eq(i % 2 + i % 3, 0); },
       [](auto i) { return i % 2 + i % 3 == 0; }, false},
      {"of a half", [](Expr i) { return eq(i % 4 + i / 12, 0); }, [](auto i) { return i % 4 + i / 12 == 0; },
       false},
      {"twice a remainder", [](Expr i) { return eq((i % 4) * 2 + 1, 3); }, [](auto i) { return i % 4 == 1; }},
      {"above", [](Expr i) { return i < 5; }, [](auto i) { return i < 5; }},
  };
  return all;
}

}  // namespace

TEST_CASE("cases: sweeps over cells that satisfy a condition are in place where no other reads them") {
  int safe = 0, unsafe = 0;
  for (const Case& c : conditions())
    for (std::int64_t far = 1; far <= 8; ++far) {
      CAPTURE(c.name);
      CAPTURE(far);
      const bool in_place = why_not_in_place(sweep(c.condition, far)).empty(), is = apart(c.holds, far);
      if (in_place) CHECK(is);
      if (c.proved) CHECK(in_place == is);
      (is ? safe : unsafe) += 1;
    }
  CHECK(safe > 20);
  CHECK(unsafe > 10);
}

TEST_CASE("cases: cells that keep their value where one of several conditions holds, or data say so") {
  // New values are sums of the cells `far` to either side; `cell` chooses between one and the old value.
  const auto in_place = [](const std::function<Expr(Expr i, Expr flag, Expr sum, Expr old)>& cell,
                           std::int64_t far) {
    const Nat n = 24;
    const Expr x = param("x", array({n + 16}, f64)), flags = param("flags", array({n}, boolean));
    const Expr windows = drop({8 - Nat(far)}, {8 - Nat(far)}, x) | slide(2 * Nat(far) + 1, 1);
    const Expr cells = zip({iota(n), windows, flags}) |
                       map([&](Expr i, Expr w, Expr m) { return cell(i, m, w[0] + w[2 * far], w[far]); });
    return why_not_in_place({"sweep", {x, flags}, update(x, {8}, cells), {"x"}, {}}).empty();
  };
  const auto either = [](Expr i, Expr, Expr sum, Expr old) {
    return select(eq(i % 2, 1) || eq(i % 3, 0), old, sum);
  };
  const auto both = [](Expr i, Expr, Expr sum, Expr old) {
    return select(eq(i % 2, 1) && eq(i % 3, 0), old, sum);
  };
  const auto data = [](Expr, Expr m, Expr sum, Expr old) { return select(m, old, sum); };
  const auto data_otherwise = [](Expr, Expr m, Expr sum, Expr old) { return select(m, sum, old); };
  const auto data_too = [](Expr i, Expr m, Expr sum, Expr old) {
    return select(eq(i % 2, 1) || m, old, sum);
  };
  for (const std::int64_t far : {1, 2, 3, 6}) {
    CAPTURE(far);
    CHECK(in_place(either, far) == (far % 2 == 1));  // cells 2, 4, 8, 10 are written
    CHECK(!in_place(both, far));
    CHECK(!in_place(data, far));
    CHECK(!in_place(data_otherwise, far));
    CHECK(in_place(data_too, far) == (far % 2 == 1));
  }
}

TEST_CASE("cases: a remainder by a size, or more than a period away, has none") {
  const Nat i = Nat::fresh("i", 0, 5), v = Nat::fresh("v", -20, 5), n = Nat::size("n", 1);
  const auto cases = [](const Nat& position) { return cases_of({position}, {}); };
  CHECK(cases(mod(i + 5, 6)).size() == 2);
  for (const Nat& m : {mod(v, 6), mod(i + 9, n)}) {
    CAPTURE(m.str());
    REQUIRE(cases(m).size() == 1);
    CHECK(cases(m)[0].position == std::vector<Nat>{m});
    CHECK(!cases(m)[0].wrapped[0]);
  }
}

TEST_CASE("cases: of a position with too many of them the last are left as they are, and cover the rest") {
  // Twelve indices of the same kind, of which each is below, within or above its range: 3^12 cases.
  std::vector<Nat> is;
  Nat sum = 0;
  for (int k = 0; k < 12; ++k)
    is.push_back(Nat::fresh("i", -3, 9)), sum = sum + (1 + k) * max(Nat(0), min(is.back(), Nat(5)));
  const std::vector<PositionCase> cases = cases_of({sum}, {});
  CHECK(cases.size() >= 1000);
  CHECK(cases.size() < 1100);
  for (const std::int64_t seed : {0, 7, 90, 1234, 99991}) {
    CAPTURE(seed);
    const auto at = [&](const Nat& n) {
      return evaluate(n, [&](const NatAtom& a) {
        for (std::size_t k = 0; k < is.size(); ++k)
          if (variables(is[k]).at(0) == &a) return (seed / static_cast<std::int64_t>(1 + k * k)) % 13 - 3;
        FAIL("no index");
        return std::int64_t{0};
      });
    };
    int holding = 0;
    for (const PositionCase& c : cases) {
      const auto conditions = c.facts.conditions();
      const bool here = std::all_of(conditions.begin(), conditions.end(), [&](const NatCond& x) {
        REQUIRE(x.kind == NatCond::Kind::NonNegative);
        return at(x.a) >= 0;
      });
      holding += here;
      if (here) CHECK(at(c.position[0]) == at(sum));
    }
    CHECK(holding == 1);
  }
}

TEST_CASE("cases: an element within too many selects is not looked at to the end") {
  // Each select has the same value in both branches: that value lies under 2^k conditions.
  const auto sweep_of = [](int selects) {
    const Nat n = 24;
    const Expr x = param("x", array({n}, f64));
    const Expr cells = zip({iota(n), x}) | map([&](Expr i, Expr v) {
                         for (int k = 0; k < selects; ++k) v = select(i < k + 2, v + 1.0, v * 0.5);
                         return v;
                       });
    return Program{"sweep", {x}, update(x, {0}, cells), {"x"}, {}};
  };
  CHECK(why_not_in_place(sweep_of(6)).empty());
  CHECK(stage_element(sweep_of(6).body)->unknown.empty());
  CHECK(why_not_in_place(sweep_of(16)).find("more than 10000 conditions") != std::string::npos);
  CHECK(stage_element(sweep_of(16).body)->unknown.find("more than 10000 conditions") != std::string::npos);
}

TEST_CASE("cases: an element is looked at once under the same conditions") {
  const Nat i = Nat::fresh("i", 0, 23);
  const Term x = load_term("x", {i}, f64), y = load_term("y", {i}, f64);
  const Facts below = Facts().with(less(i, 3));
  SeenUnder seen;
  CHECK(seen.first(x, Facts()));
  CHECK(!seen.first(x, Facts()));
  CHECK(seen.first(y, Facts()));
  CHECK(seen.first(x, below));
  CHECK(!seen.first(x, below));
}

TEST_CASE("cases: a cell is not written where a condition's remainder is known to be another one") {
  const Nat i = Nat::fresh("i", 0, 23), n = Nat::size("n", 1);
  const auto excludes = [&](const NatCond& guard, const Nat& read) {
    WrittenElement w;
    w.index = w.position = {i}, w.guard = {guard};
    return never_writes(w, {read}, Facts().with(guard));
  };
  CHECK(excludes(equal(mod(i, 4), 1), i + 1));
  CHECK(!excludes(equal(mod(i, 4), 1), i + 4));
  CHECK(excludes(equal(mod(i, 4), 1), i + 24));  // outside
  CHECK(!excludes(equal(mod(i, n), 1), i + 1));  // all are, where n is 1
  CHECK(excludes(equal(2 * mod(i, 4), 2), i + 1));
  CHECK(excludes(equal(2 * mod(i, 4), 3), i + 1));  // no cell is written
  CHECK(!excludes(equal(2 * mod(i, 4) + mod(i, 3), 2), i + 1));
}

TEST_CASE("cases: the share of cells that a condition admits") {
  const Nat i = Nat::fresh("i", 0, 23), j = Nat::fresh("j", 0, 23), n = Nat::size("n", 2);
  for (const auto& [condition, share] : std::vector<std::pair<NatCond, double>>{
           {equal(mod(i + j, 2), 1), 0.5},
           {equal(1 - mod(i + 2 * j, 3), 0), 1.0 / 3},
           {negate(equal(mod(i, 4), 1)), 0.75},
           {less(i, 3), 1},  // none of a residue
           {equal(i, 3), 1},
           {equal(i * j, 3), 1},
           {equal(mod(2 * i, 4), 2), 1},  // takes no odd remainder
           {equal(mod(i * i, 3), 1), 1},  // not all residues alike
           {equal(mod(i * j, 3), 1), 1},
           {equal(mod(floordiv(i, 5), 3), 1), 1},
           {equal(mod(i, n), 1), 1},
           {equal(mod(2 * i + j, 4), 1), 0.25},  // by j
           {equal(mod(i, 2) * mod(i, 2), 1), 1},
           {equal(2 * mod(i, 3), 2 * mod(j, 3)), 1},
           {equal(mod(i, 3), mod(j, 5)), 1},
       }) {
    CAPTURE(str(condition));
    CHECK(admitted(condition) == doctest::Approx(share));
  }
}

TEST_CASE("cases: colours are those of a condition on the innermost index") {
  const Nat k = Nat::fresh("k", 0, 9), j = Nat::fresh("j", 0, 9), i = Nat::fresh("i", 0, 9),
            n = Nat::size("n", 2);
  const auto colours = [&](const NatCond& c) {
    const Colours found = colours_of({c}, {k, j, i});
    return std::pair{found.modulus, found.axes};
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  CHECK(colours(equal(mod(i + j + k, 2), 1)) == Pair{2, 3});
  CHECK(colours(equal(mod(i + j, 2), 1)) == Pair{2, 2});
  CHECK(colours(equal(mod(i + k, 2), 1)) == Pair{2, 1});  // j has no part in it
  CHECK(colours(equal(mod(i + 2 * j + k, 2), 1)) == Pair{2, 1});
  CHECK(colours(equal(mod(i + j, 3), 1)) == Pair{3, 0});
  CHECK(colours(equal(mod(2 * i, 3), 1)) == Pair{3, 0});
  CHECK(colours(equal(mod(2 * i + j, 4), 1)) == Pair{0, 0});
  CHECK(colours(equal(mod(j + k, 2), 1)) == Pair{0, 0});  // of rows
  CHECK(colours(less(mod(i, 2), 1)) == Pair{0, 0});       // no equation
  CHECK(colours(equal(mod(i * i, 2), 1)) == Pair{2, 1});  // as i
  CHECK(colours(equal(mod(i * i, 3), 1)) == Pair{0, 0});
  CHECK(colours(equal(mod(i * j, 2), 1)) == Pair{0, 0});
  CHECK(colours(equal(mod(i + floordiv(j, 2), 2), 1)) == Pair{2, 1});
  CHECK(colours(equal(mod(i, n), 1)) == Pair{0, 0});
  CHECK(colours_of({equal(mod(i, 2), 1)}, {}).modulus == 0);
}

}  // namespace lift::cases_test
