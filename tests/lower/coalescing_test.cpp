// Unit stride across work-items, read off the loops: kernels by hand, and the variants of every operator that are tried first.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/coalescing.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space.hpp"

using namespace lift;

namespace {

/// One loop over dimension 0 whose body stores y[...] = x[...] at the indices that f gives.
Kernel copies(const std::function<std::vector<std::pair<Nat, Nat>>(const Nat& i)>& f, Scalar s = f64) {
  Kernel k;
  const Type t = array({Nat(4096)}, s);
  for (const char* name : {"x", "y"}) k.arguments.push_back({name, t, Layout({}, t), std::string(name) == "y", true, {}});
  For loop;
  loop.var = Nat::fresh("i", 0, 63), loop.lower = 0, loop.upper = 64, loop.kind = LoopKind::Glb;
  const Nat row = Nat::fresh("row", 0, 1000);
  loop.body.push_back({Let{index_term(row), index_term(3 * loop.var + 7)}});
  for (const auto& [to, from] : f(loop.var)) loop.body.push_back({Store{"y", {substitute(to, Nat::size("row"), row)}, load_term("x", {substitute(from, Nat::size("row"), row)}, s), false}});
  k.body = {{std::move(loop)}};
  return k;
}
std::vector<std::int64_t> strides(const Kernel& k) {
  std::vector<std::int64_t> r;
  for (const GridAccess& a : grid_accesses(k)) r.push_back(a.stride.value_or(-99));
  return r;
}

struct Best {
  double ratio = 1e9;
  std::string configuration;
};
/// Among the first variants of a space.
Best best_of(const Program& program, Target target) {
  Best best;
  const Space space(program, {target, 2, 32, 512 * 1024, true});
  for (const Configuration& c : space.seeds()) {
    try {
      const Kernel k = lower(replay(program, space.derive(c)));
      const auto all = grid_accesses(k);
      if (all.empty()) continue;
      const double ratio = transaction_ratio(k);
      if (ratio >= best.ratio) continue;
      best.ratio = ratio, best.configuration.clear();
      for (const auto& [name, value] : c) best.configuration += name + "=" + value + " ";
    } catch (const UserError&) {  // impossible as asked
    }
  }
  return best;
}

}  // namespace

TEST_CASE("coalescing: strides across work-items, through named indices") {
  const Nat row = Nat::size("row");
  CHECK(strides(copies([&](const Nat& i) { return std::vector<std::pair<Nat, Nat>>{{i, 5 - i}, {2 * i + 1, Nat(4)}, {row + i, mod(i, 4)}}; })) == std::vector<std::int64_t>{-1, 1, 0, 2, -99, 4});
}

TEST_CASE("coalescing: transactions over those needed") {
  using Indices = std::vector<std::pair<Nat, Nat>>;
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, i + 1}}; })) == 1);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{i, Nat(0)}}; })) == 1);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{16 * i, 16 * i}}; })) == 4);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{16 * i, 16 * i}}; }, f32)) == 8);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{2 * i, i}}; })) == 1.5);
  CHECK(transaction_ratio(copies([](const Nat& i) { return Indices{{2 * i, i}, {2 * i + 1, i}}; })) == 1);  // both halves
}

TEST_CASE("coalescing: every operator has a variant of unit stride among the first") {
  for (const auto& pattern : all_patterns()) {
    CAPTURE(pattern->name);
    if (pattern->name.find("norm") != std::string::npos || pattern->name.find("dot") != std::string::npos) continue;  // reductions: by parts
    Problem p;
    p.box = 32, p.boxes = 4;
    const Program program = pattern->build(p);
    const Best best = best_of(program, Target::cuda);
    CHECK_MESSAGE(best.ratio <= 1.01, best.configuration << ": " << best.ratio);
  }
}
