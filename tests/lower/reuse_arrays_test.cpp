// Work arrays that lie in others: those of stages that need of the stage before the elements that they store.
#include <doctest/doctest.h>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;

namespace reuse_arrays_test {
namespace {

const std::int64_t kRows = 6, kColumns = 8;

Term at(const char* array, const Nat& j, const Nat& i) { return load_term(array, {j, i}, f64); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
Stmt store(const char* array, const Nat& j, const Nat& i, const Term& value) {
  return {Store{array, {j, i}, value, false}};
}
Stmt loop(const Nat& from, const Nat& to, const std::function<Block(const Nat&)>& body,
          LoopKind kind = LoopKind::Seq) {
  For f;
  f.var = Nat::fresh("k", from, to - 1), f.lower = from, f.upper = to, f.kind = kind;
  f.body = body(f.var);
  return {f};
}
/// For all elements, rows shared among threads.
Stmt each(const std::function<Block(const Nat& j, const Nat& i)>& body) {
  return loop(
      0, kRows,
      [&](const Nat& j) { return Block{loop(0, kColumns, [&](const Nat& i) { return body(j, i); })}; },
      LoopKind::Par);
}

/// v is 2 a + 1; then `stage` makes w; then out is w, each row the other way round.
Kernel stages(const Block& stage, bool reads_v = false) {
  const Type rows = array({kRows, kColumns}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", rows, Layout({}, rows), false, true, {}},
                 {"out", rows, Layout({}, rows), true, false, {}},
                 {"v", rows, Layout({}, rows), true, true, {}, true},
                 {"w", rows, Layout({}, rows), true, true, {}, true}};
  k.body = {each([](const Nat& j, const Nat& i) {
    return Block{store("v", j, i, sum(sum(at("a", j, i), at("a", j, i)), constant_term(1, f64)))};
  })};
  k.body.insert(k.body.end(), stage.begin(), stage.end());
  k.body.push_back(each([&](const Nat& j, const Nat& i) {
    const Term other = at("w", j, Nat(kColumns - 1) - i);
    return Block{store("out", j, i, reads_v ? sum(other, at("v", j, i)) : other)};
  }));
  return k;
}
std::vector<double> out_of(Kernel k) {
  test::LoopRunner loops;
  linearise(k);
  for (const KernelArgument& a : k.arguments)
    for (std::int64_t i = 0; i < kRows * kColumns; ++i)
      loops.arrays[a.name].push_back(a.name == "a" ? static_cast<double>(i * i) : -1);
  loops.run(k);
  CHECK(loops.races.empty());
  return loops.arrays.at("out");
}
/// Whether w lies in v; the result is the same in any case.
bool reused(Kernel k) {
  const std::vector<double> before = out_of(k);
  reuse_arrays(k);
  INFO(str(k));
  CHECK(out_of(k) == before);
  return std::none_of(k.arguments.begin(), k.arguments.end(),
                      [](const KernelArgument& a) { return a.name == "w"; });
}
/// w is what `value` says.
Block cells(const std::function<Term(const Nat& j, const Nat& i)>& value) {
  return {each([&](const Nat& j, const Nat& i) { return Block{store("w", j, i, value(j, i))}; })};
}
/// Sums along columns, tiles of so many of which begin so far apart.
Block columns(std::int64_t tile, std::int64_t apart) {
  return {loop(
      0, (kColumns - tile) / apart + 1,
      [&](const Nat& t) {
        const auto row = [&](const std::function<Block(const Nat& i)>& body) {
          return loop(0, tile, [&](const Nat& i) { return body(apart * t + i); });
        };
        return Block{row([](const Nat& i) { return Block{store("w", 0, i, at("v", 0, i))}; }),
                     loop(1, kRows, [&](const Nat& j) {
                       return Block{row([&](const Nat& i) {
                         return Block{store("w", j, i, sum(at("w", j - 1, i), at("v", j, i)))};
                       })};
                     })};
      },
      tile == apart ? LoopKind::Par : LoopKind::Seq)};
}

}  // namespace

TEST_CASE("reuse-arrays: cells made of one element each lie where it lay") {
  const auto same = [](const Nat& j, const Nat& i) { return sum(at("v", j, i), at("a", j, i)); };
  CHECK(reused(stages(cells(same))));
  // What another element is still needed for, or another stage, stays.
  CHECK_FALSE(
      reused(stages(cells([](const Nat& j, const Nat& i) { return at("v", j, Nat(kColumns - 1) - i); }))));
  CHECK_FALSE(reused(stages(cells(same), true)));
  // So does what bypasses the cache: the line is in it.
  Block past = cells(same);
  past = rebuild(past, [](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v)) x->stream = true;
    return {std::move(s)};
  });
  CHECK_FALSE(reused(stages(past)));
}

TEST_CASE("reuse-arrays: sums along columns lie in what they are sums of, tile by tile") {
  CHECK(reused(stages(columns(4, 4))));
  CHECK(reused(stages(columns(kColumns, kColumns))));
  CHECK_FALSE(reused(stages(columns(4, 2))));  // columns of two tiles are summed twice
}

TEST_CASE("reuse-arrays: what is stored several times does not lie where it is made from") {
  const auto more = [](const Nat& j, const Nat& i) { return sum(at("v", j, i), constant_term(1, f64)); };
  CHECK_FALSE(reused(stages({loop(0, 3, [&](const Nat&) { return cells(more); })})));
  Block twice{loop(0, kRows, [](const Nat& j) { return Block{store("w", j, 0, constant_term(7, f64))}; })};
  const Block all = cells(more);
  twice.insert(twice.end(), all.begin(), all.end());
  CHECK_FALSE(reused(stages(twice)));
}

}  // namespace reuse_arrays_test
