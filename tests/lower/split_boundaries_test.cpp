// Loops that are split where what they ask changes: into which pieces, and that these do what the loop did.
#include <doctest/doctest.h>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::split_boundaries_test {
namespace {

constexpr std::int64_t kLength = 24;

using Value = std::function<Term(const Nat& i)>;

Term a(const Nat& at) { return load_term("a", {at}, f64); }
/// a[i] where that is so, else 100.
Term where(const NatCond& c, const Nat& i) {
  return apply_term(Op::Select, f64, {compare_term(c), a(i), constant_term(100, f64)});
}
Kernel kernel(Block body) {
  const Type t = array({kLength}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "out"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.body = std::move(body);
  return k;
}
using Indices = std::map<std::string, std::int64_t>;
std::vector<double> run(const Kernel& k, const Indices& index) {
  test::LoopRunner loops;
  loops.index = index;
  for (int i = 0; i < kLength; ++i) loops.arrays["a"].push_back(i * i + 0.5);
  loops.arrays["out"].assign(kLength, -1);
  loops.run(k);
  return loops.arrays["out"];
}

struct Pieces {
  std::vector<For> loops;
  int asked = 0;  ///< conditions in them
};
Pieces split(For f, const Value& value, const std::vector<Indices>& all = {{}}, bool vector_edges = false) {
  f.body = {{Store{"out", {f.var}, value(f.var), false}}};
  const Kernel before = kernel({{f}}), after = kernel(split_boundaries({{f}}, vector_edges));
  INFO(str(before) << str(after));
  for (const Indices& index : all) CHECK(run(after, index) == run(before, index));
  Pieces r;
  visit(after.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<For>(&s.v)) r.loops.push_back(*x);
  });
  visit_terms(after.body, [&](const Term& t) { r.asked += t->kind == TermKind::Compare; });
  return r;
}
For loop(const Nat& lower, const Nat& upper, LoopKind kind = LoopKind::Seq, int width = 1) {
  For f;
  f.var = Nat::fresh("i", lower, upper - 1), f.lower = lower, f.upper = upper, f.kind = kind, f.width = width;
  return f;
}

}  // namespace

TEST_CASE("split-boundaries: where an index wraps, if it can be told by how many periods at most") {
  const auto pieces = [](const Value& value) {
    std::vector<Indices> all;
    for (std::int64_t n = 0; n <= 3; ++n) all.push_back({{"n", n}});
    return split(loop(0, 10), value, all).loops.size();
  };
  const Nat n = Nat::fresh("n", 0, 3);
  CHECK(pieces([](const Nat& i) { return a(mod(i + 7, 10)); }) == 2);
  CHECK(pieces([&](const Nat& i) { return a(mod(i + n, 10)); }) == 2);
  CHECK(pieces([&](const Nat& i) { return a(mod(i + n, 3)); }) == 1);  // too many periods
  CHECK(pieces([&](const Nat& i) { return a(floordiv(i - n, 10) + 1); }) == 2);
  CHECK(pieces([&](const Nat& i) { return a(floordiv(i - n, 2) + 2); }) ==
        1);  // more than one before the first
}

TEST_CASE("split-boundaries: points of which it is known how they lie are taken in that order") {
  const Nat n = Nat::size("n", 1), m = Nat::size("m", n + 1);
  std::vector<Indices> all;
  for (std::int64_t x = 1; x < 10; ++x)
    for (std::int64_t y = x + 1; y < 2 * x + 2; ++y) all.push_back({{"n", x}, {"m", y}});
  // Whichever of them is asked for first.
  for (const bool larger_first : {false, true}) {
    const Pieces p = split(
        loop(0, m + 3),
        [&](const Nat& i) {
          const Term low = where(less(i, n), i), high = where(less(i, m), kLength - 1 - i);
          return larger_first ? apply_term(Op::Sub, f64, {high, low}) : apply_term(Op::Sub, f64, {low, high});
        },
        all);
    CHECK(p.loops.size() == 3);
    CHECK(p.asked == 0);
  }
}

TEST_CASE("split-boundaries: vectors at the ends where the loop is of vectors, and every index in its turn") {
  const auto edges = [](const For& f) {
    const Pieces p = split(
        f,
        [](const Nat& i) {
          return apply_term(Op::Add, f64, {where(less_equal(1, i), i), where(less(i, 15), i)});
        },
        {{}}, true);
    int n = 0;
    for (const For& x : p.loops) n += x.edge;
    return n;
  };
  CHECK(edges(loop(0, 16, LoopKind::Vec, 4)) == 2);
  CHECK(edges(loop(0, 16, LoopKind::Vec, 1)) == 0);
  CHECK(edges(loop(0, 16, LoopKind::Seq)) == 0);
  CHECK(edges(loop(0, 7, LoopKind::Vec, 4)) == 0);
  For strided = loop(0, 16, LoopKind::Vec, 4);
  strided.stride = 2;
  CHECK(edges(strided) == 0);
}

}  // namespace lift::split_boundaries_test
