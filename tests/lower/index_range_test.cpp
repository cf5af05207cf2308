// Whether integers of 32 bits hold all that a kernel computes with its indices: just so, and just not.
#include "lower/analyses/index_range.hpp"

#include <doctest/doctest.h>

namespace lift::index_range_test {
namespace {

constexpr std::int64_t kLargest = 2147483647;

Term number() { return constant_term(1, f64); }
Stmt at(const Nat& n) { return {Store{"y", {n}, number()}}; }
Stmt over(const Nat& v, const Nat& lower, const Nat& upper, Block body, const Nat& step = 1, int items = 0) {
  For f;
  f.var = v, f.lower = lower, f.upper = upper, f.step = step, f.items = items, f.body = std::move(body);
  if (items > 0) f.kind = LoopKind::Glb;
  return {f};
}
bool fit(Block b, std::vector<KernelArgument> arguments = {}) {
  Kernel k;
  k.body = std::move(b), k.arguments = std::move(arguments);
  return indices_fit_int(k);
}
Nat among(const Nat& lower, const Nat& upper) { return Nat::fresh("i", lower, upper); }

}  // namespace

TEST_CASE("index range: an index, and every part of what it is computed from") {
  struct Case {
    std::string name;
    Nat index;
    bool fits;
  };
  const Nat half = among(0, 1 << 30), all = among(0, kLargest), below = among(-kLargest, 0);
  const Nat thousand = among(0, 1000), some = among(-3, 46340), more = among(-3, 46341);
  const Nat early = Nat::size("index_range_early", 1), little = among(0, 9),
            late = Nat::size("index_range_late", 1);
  const std::vector<Case> cases{
      {"the largest", all, true},
      {"one more than the largest", all + 1, false},
      {"one less than the largest", among(0, kLargest - 1) + 1, true},
      {"the least", below, true},
      {"one less than the least", below - 1, false},
      {"one that is too large by itself", among(0, kLargest + 1), false},
      {"one that is too small by itself", among(-kLargest - 1, 0), false},
      {"a constant", kLargest, true},
      {"a constant that is too large", kLargest + 1, false},
      {"a constant that is too small", -kLargest - 1, false},
      {"a sum whose parts are too large together", 2 * among(0, 1 << 29) + 2 * among(0, 1 << 29), false},
      {"a difference that is small, of parts that are not", all - half, false},
      {"a multiple", 2147483 * thousand, true},
      {"a multiple that is too large", 2147484 * thousand, false},
      {"a square", some * some, true},
      {"a square that is too large", more * more, false},
      {"a product of signs", among(-46340, -1) * among(1, 46341), true},
      {"a product of signs that is too small", among(-46341, -1) * among(1, 46341), false},
      {"a quotient of too large a number", floordiv(all + half, 4), false},
      {"a quotient", floordiv(among(0, kLargest - 4), 4), true},
      {"a quotient that is rounded beyond", floordiv(among(0, kLargest - 3), 4), false},
      {"a remainder", mod(all, 7), true},
      {"a remainder of too large a number", mod(all + half, 7), false},
      {"a remainder, multiplied", 306783378 * mod(all, 8), true},
      {"a remainder, multiplied too far", 306783379 * mod(all, 8), false},
      {"the least of two", 2 * min(all, among(0, 1073741823)), true},
      {"the least of two that is too large", 2 * min(all, half), false},
      {"the most of two", 2 * max(among(0, 9), among(0, 1073741823)), true},
      {"the most of two that is too large", 2 * max(among(0, 9), half), false},
      {"a choice of too large a number", min(all + 1, among(0, 9)), false},
      {"a choice besides too large a number", max(among(0, 9), all + 1), false},
      {"a size without an end", Nat::size("index_range_n", 1), false},
      {"down to a size without an end", among(0 - early, 0), false},
      {"the least of a number and a size", min(little, late), false},
      {"the least of a size and a number", min(early, little), false},
      {"up to a size without an end", among(0, Nat::size("index_range_n", 1)), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(fit({at(c.index)}) == c.fits);
    CHECK(fit({{Prefetch{"x", {c.index}}}}) == c.fits);
    CHECK(fit({{Store{"y", {Nat(0)}, load_term("x", {c.index}, f64)}}}) == c.fits);
    CHECK(fit({{If{{constant_term(1, boolean)}, {at(c.index)}}}}) == c.fits);
    const Term asked = intern([&] {
      TermNode n;
      n.kind = TermKind::Compare, n.type = boolean;
      n.conds = {{NatCond::Kind::NonNegative, c.index}};
      return n;
    }());
    CHECK(fit({{If{{asked}, {at(0)}}}}) == c.fits);
  }
}

TEST_CASE("index range: the value behind a loop's last one") {
  const auto loop = [](const Nat& lower, const Nat& upper, const Nat& step = 1, int items = 0) {
    const Nat v = among(0, 5);  // the loop says what it is
    return fit({over(v, lower, upper, {at(v)}, step, items)});
  };
  const Nat n = Nat::size("index_range_n", 1);
  CHECK(loop(0, kLargest - 1));
  CHECK_FALSE(loop(0, kLargest));
  CHECK(loop(0, kLargest - 8, 8));
  CHECK_FALSE(loop(0, kLargest - 7, 8));
  CHECK(loop(0, kLargest - 9, 1, 8));
  CHECK_FALSE(loop(0, kLargest - 8, 1, 8));
  CHECK_FALSE(loop(-kLargest - 1, 0));
  CHECK_FALSE(loop(n, 9));
  CHECK_FALSE(loop(0, n));
  CHECK_FALSE(loop(0, 9, n));
  // What is within has the loop's values.
  const auto within = [](const Nat& upper, std::int64_t times) {
    const Nat v = among(0, 5);
    return fit({over(v, 0, upper, {at(times * v)})});
  };
  CHECK(within(1001, 2147483));
  CHECK_FALSE(within(1002, 2147483));
  // One that does not run computes its first value.
  const Nat v = among(0, 5);
  CHECK(fit({over(v, 7, 3, {at(306783378 * v)})}));
  CHECK_FALSE(fit({over(v, 8, 3, {at(306783378 * v)})}));
}

TEST_CASE("index range: names of indices, arguments, lanes") {
  const Nat row = among(0, 1 << 20);
  const Term name = index_term(row);
  const auto named = [&](const Nat& value) {
    return fit({{Let{name, index_term(value)}}, at(2147483 * row)});
  };
  CHECK(named(among(0, 1000)));
  CHECK_FALSE(named(among(0, 1001)));
  CHECK_FALSE(named(Nat::size("index_range_n", 1)));
  // A number is no index: it is computed, and its terms have indices.
  const Term number = local_term("a", i32);
  CHECK(fit({{Let{number, index_term(among(0, kLargest))}}}));
  CHECK_FALSE(fit({{Let{number, index_term(among(0, kLargest) + 1)}}}));

  const auto argument = [](const std::vector<Nat>& range) {
    KernelArgument a;
    a.name = "colour", a.type = i32, a.range = range;
    // Of the range only the argument knows.
    return fit({at(2147483 * Nat::size("colour", 0))}, {a});
  };
  const Nat n = Nat::size("index_range_n", 1);
  CHECK(argument({0, 1000}));
  CHECK_FALSE(argument({0, 1001}));
  CHECK(argument({-1000, 0}));
  CHECK_FALSE(argument({-1001, 0}));
  CHECK_FALSE(argument({0, n}));
  CHECK_FALSE(argument({-n, 0}));
  CHECK_FALSE(argument({}));

  const auto lanes = [&](const Nat& first, const Nat& step) {
    TermNode t;
    t.kind = TermKind::LaneIndex, t.type = i32, t.width = 4, t.nats = {first, step};
    return fit({{Let{local_term("lanes", i32, 4), intern(t)}}});
  };
  CHECK(lanes(among(0, kLargest - 12), 3));
  CHECK_FALSE(lanes(among(0, kLargest - 11), 3));
}

}  // namespace lift::index_range_test
