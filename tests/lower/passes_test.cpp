// Single passes over the loop language: the loops that they make do what those that they were given do.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/two_arrays.hpp"

namespace lift::passes_test {
namespace {

using namespace test::two_arrays;

const Term one = constant_term(1, f64);

std::vector<double> run(const Kernel& k, std::int64_t first = 0) {
  test::LoopRunner loops;
  loops.index["first"] = first;
  for (int i = 0; i < kLength; ++i) loops.arrays["a"].push_back(i + 0.5);
  loops.arrays["out"].assign(kLength, -1);
  loops.run(k);
  return loops.arrays["out"];
}

}  // namespace

TEST_CASE("passes: every second iteration, from a lower bound on") {
  const Nat i = Nat::fresh("i", 0, kLength - 1), shown = Nat::fresh("first", 0, 5);
  for (const std::int64_t phase : {0, 1})
    for (const Nat& first : {shown, Nat(0), Nat(1), Nat(2), Nat(3)}) {
      For f;
      f.var = i, f.upper = kLength;
      f.body = {
          {If{{compare_term(equal(mod(i, 2), phase)), compare_term(less_equal(first, i))}, {put(i, a(i))}}}};
      const Kernel before = kernel({{f}}), after = kernel(tighten_bounds({{f}}));
      f.stride = 2;
      const Kernel strided = kernel(stride_loops(tighten_bounds({{f}})));
      INFO(str(after) << str(strided));
      for (std::int64_t at = 0; at <= 5; ++at) {
        CHECK(run(after, at) == run(before, at));
        CHECK(run(strided, at) == run(before, at));
      }
    }
}

TEST_CASE("passes: a condition on memory is asked again after what may have changed it") {
  const Term low = apply_term(Op::Lt, boolean, {a(3), constant_term(100, f64)});
  const Stmt changes{Store{"a", {Nat(3)}, constant_term(1000, f64), false}};
  For once;
  once.var = Nat::fresh("j", 0, 0), once.upper = 1;
  once.body = {{If{{low}, {changes}}}, {If{{low}, {put(0, one)}}}};
  const Kernel before = kernel({{once}});
  Kernel after = before;
  after.body = tighten_bounds(before.body);
  INFO(str(after));
  CHECK(run(before)[0] == -1);
  CHECK(run(after) == run(before));
}

TEST_CASE(
    "passes: what others store before a barrier is loaded after it, and not kept by loops that move on") {
  const Nat k = Nat::fresh("k", 0, 3);
  const auto loop = [&](bool barrier) {
    For f;
    f.var = k, f.upper = 4, f.rotate = true;
    f.body = {put(k, apply_term(Op::Add, f64, {a(k), a(k + 1)}))};
    if (barrier) f.body.push_back({Barrier{}});
    f.body.push_back({Store{"a", {k + 7}, one, false}});  // of no element that this item loads
    return Block{{f}};
  };
  const auto rotated = [&](bool barrier) {
    return str(kernel(rotate_loops(loop(barrier), kernel(loop(barrier)))));
  };
  CHECK(rotated(false) != str(kernel(loop(false))));
  CHECK(rotated(true) == str(kernel(loop(true))));
}

TEST_CASE("passes: a name for a load does not outlive a store to its array, also under a condition") {
  const Term sum = apply_term(Op::Add, f64, {a(3), a(3)});
  const Stmt changes{Store{"a", {Nat(3)}, one, false}};
  const Nat first = Nat::fresh("first", 0, 5);
  for (const Stmt& between : {changes, Stmt{If{{compare_term(less_equal(first, 2))}, {changes}}}}) {
    const Block b{put(0, sum), between, put(1, sum), put(2, a(3))};
    const Kernel before = kernel(b), after = kernel(eliminate_common_subexpressions(b));
    INFO(str(after));
    for (const std::int64_t at : {0, 5}) CHECK(run(after, at) == run(before, at));
  }
}

TEST_CASE("lower: a loop is not split where that multiplies its text") {
  // Borders of four cells on either side of nine: each cell of a row is a case of its own.
  std::string sum = "w[4, 4]";
  for (int i = 0; i < 9; ++i) sum += " + w[4, " + std::to_string(i) + "] * w[" + std::to_string(i) + ", 4]";
  const Program p = parse_program(
      "param x : 9.9.f64\nresult r = x |> pad2(4, 4, constant 0) |> slide2(9, 1) |> "
      "map2(\\w. " +
      sum + ")\n");
  const Kernel k = lower(p, {});
  int statements = 0;
  visit(k.body, [&](const Stmt&) { ++statements; });
  CHECK(statements < 60);
}

}  // namespace lift::passes_test
