// Rows the length of which depends on which row they are, where parts of them are summed.
#include <doctest/doctest.h>

#include "lower/loops/distinct_names.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/join_rows.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::rows_of_triangles_test {
namespace {

Term at(const char* array, std::vector<Nat> position) { return load_term(array, std::move(position), f64); }
For loop(LoopKind kind, const char* name, const Nat& lower, const Nat& upper,
         const std::function<Block(const Nat&)>& body) {
  For f;
  f.kind = kind, f.width = kind == LoopKind::Vec ? 4 : 1, f.lower = lower, f.upper = upper;
  f.var = Nat::fresh(name, lower, upper - 1);
  f.body = body(f.var);
  return f;
}

Kernel kernel(Block body) {
  Kernel k;
  k.name = "k", k.results = {"a"};
  const Type t = array({Nat(8), Nat(8)}, f64);
  for (const char* name : {"x", "a", "s"}) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.body = std::move(body);
  return k;
}
std::map<std::string, std::vector<double>> run(Kernel k) {
  verify(k, Form::Positions, "join-rows");
  linearise(k);
  test::LoopRunner loops;
  double next = 1;
  for (const KernelArgument& a : k.arguments)
    for (int i = 0; i < 64; ++i) loops.arrays[a.name].push_back(next++);
  loops.run(k);
  return loops.arrays;
}

}  // namespace

TEST_CASE("rows of triangles: they do not go side by side") {
  for (const bool from : {false, true}) {
    const For rows = loop(LoopKind::Par, "j", 0, 8, [&](const Nat& j) {
      return Block{{loop(LoopKind::Vec, "i", from ? j : 0, from ? Nat(8) : j + 1, [&](const Nat& i) {
        return Block{
            {Store{"a", {j, i}, apply_term(Op::Add, f64, {at("x", {j, i}), at("x", {j, i})}), false}}};
      })}};
    });
    const For parts = loop(LoopKind::Par, "p", 0, 2, [&](const Nat& p) {
      const For first = loop(LoopKind::Seq, "i", 0, 8, [&](const Nat& i) {
        return Block{{Store{"s", {p, i}, constant_term(0, f64), false}}};
      });
      const For within = loop(LoopKind::Seq, "r", 0, 2, [&](const Nat& r) {
        return Block{{loop(LoopKind::Vec, "i", 0, 8, [&](const Nat& i) {
          Term sum = at("s", {p, i});
          for (int e = 0; e < 2; ++e) sum = apply_term(Op::Add, f64, {sum, at("x", {4 * p + 2 * r + e, i})});
          return Block{{Store{"s", {p, i}, sum, false}}};
        })}};
      });
      return Block{{first}, {within}};
    });
    const auto joined = join_rows(rows, parts, [](Block a, const Block& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    });
    REQUIRE(joined);
    Block all = joined->before;
    all.push_back({joined->parts});
    all.insert(all.end(), joined->after.begin(), joined->after.end());
    const Kernel k = kernel(distinct_names(all));
    INFO(str(k));
    CHECK(run(k) == run(kernel({{rows}, {parts}})));
  }
}

}  // namespace lift::rows_of_triangles_test
