// Rows that ask on which side of boundaries they lie: those away from all of them ask once.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;

namespace unswitch_test {
namespace {

/// Conditions that ask for a place, and rows of an array that are loaded, in a block.
std::size_t asked(const Block& b) {
  std::size_t n = 0;
  visit_terms(b, [&](const Term& t) { n += t->kind == TermKind::Compare; });
  return n;
}
std::size_t loaded(const Block& b) {
  std::set<std::string> all;
  visit_terms(b, [&](const Term& t) {
    std::string at;
    for (const Nat& n : t->nats) at += n.str() + ", ";
    if (t->kind == TermKind::Load) all.insert(at);
  });
  return all.size();
}

/// Of a kernel, the two versions of a loop: under a condition, and under its negation.
std::vector<If> versions(const Kernel& k) {
  std::vector<If> all;
  visit(k.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<If>(&s.v)) all.push_back(*x);
  });
  return all;
}

/// Loops over an array of 5.6.7, each element made of those beside it, `far` away in the first two
/// dimensions.
Kernel stencil(std::int64_t far, const Nat& shift) {
  const std::vector<Nat> shape{5, 6, 7};
  const Type t = array(shape, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", t, Layout({}, t), false, true, {}}, {"out", t, Layout({}, t), true, true, {}}};
  std::vector<For> loops(3);
  for (std::size_t d = 0; d < 3; ++d) {
    loops[d].var = Nat::fresh(std::string(1, static_cast<char>('k' - d)), 0, *shape[d].constant() - 1);
    loops[d].upper = shape[d];
  }
  const auto at = [&](std::size_t d) { return loops[d].var; };
  Term sum = load_term("a", {at(0), at(1), at(2)}, f64);
  const auto add = [&](const NatCond& inside, const std::vector<Nat>& position) {
    const Term x = apply_term(Op::Select, f64,
                              {compare_term(inside), load_term("a", position, f64), constant_term(100, f64)});
    sum = apply_term(Op::Add, f64, {sum, x});
  };
  add(less_equal(far, at(0)), {at(0) - far, at(1), at(2)});
  add(less(at(0) + far, 5), {at(0) + far, at(1), at(2)});
  add(less_equal(far, at(1)), {at(0), at(1) - far, at(2)});
  add(less(at(1) + far, 6), {at(0), at(1) + far, at(2)});
  if (!(shift == Nat(0))) add(less_equal(shift, at(2)), {at(0), at(1), at(2) - shift});
  loops[2].body = {{Store{"out", {at(0), at(1), at(2)}, sum, false}}};
  loops[1].body = {{loops[2]}}, loops[0].body = {{loops[1]}};
  k.body = {{loops[0]}};
  return k;
}
std::vector<double> out_of(Kernel k) {
  test::LoopRunner loops;
  linearise(k);
  for (std::int64_t i = 0; i < 5 * 6 * 7; ++i) loops.arrays["a"].push_back(static_cast<double>(i * i % 17));
  loops.arrays["out"].assign(5 * 6 * 7, -1);
  loops.run(k);
  return loops.arrays.at("out");
}

}  // namespace

TEST_CASE("unswitch-loops: rows away from boundaries ask once, and load their neighbours") {
  for (const std::int64_t far : {1, 2}) {
    Kernel k = stencil(far, 0);
    const std::vector<double> before = out_of(k);
    k.body = unswitch_loops(k.body);
    INFO(str(k));
    CHECK(out_of(k) == before);
    const std::vector<If> both = versions(k);
    REQUIRE(both.size() == 2);
    CHECK(asked(both[0].body) == 0);
    CHECK(loaded(both[0].body) == 5);
    CHECK(asked(both[1].body) == 4);
    // Without it, all rows away from boundaries are missing.
    k.body = rebuild(k.body, [&](Stmt s) -> Block {
      const auto* x = std::get_if<If>(&s.v);
      if (x && x->conditions == both[0].conditions) return {};
      return {std::move(s)};
    });
    const std::vector<double> rest = out_of(k);
    CHECK(std::count(rest.begin(), rest.end(), -1) == (5 - 2 * far) * (6 - 2 * far) * 7);
  }
}

TEST_CASE("unswitch-loops: what an element asks is asked by each element") {
  Kernel k = stencil(1, 2);
  const std::vector<double> before = out_of(k);
  k.body = unswitch_loops(k.body);
  INFO(str(k));
  CHECK(out_of(k) == before);
  const std::vector<If> both = versions(k);
  REQUIRE(both.size() == 2);
  CHECK(asked(both[0].body) == 1);
}

namespace {

/// How many loops over rows are there twice, of a stencil's, changed, so many times over.
std::size_t unswitched(
    std::size_t times, const std::function<void(For&)>& change = [](For&) {}) {
  Kernel k = stencil(1, 0);
  For& planes = std::get<For>(k.body[0].v);
  For& rows = std::get<For>(planes.body[0].v);
  change(std::get<For>(rows.body[0].v));
  k.body = Block(times, k.body[0]);
  const std::vector<double> before = out_of(k);
  k.body = unswitch_loops(k.body);
  CHECK(out_of(k) == before);
  return versions(k).size() / 2;
}

}  // namespace

TEST_CASE("unswitch-loops: of loops with a schedule, and of many, there is one version") {
  CHECK(unswitched(1) == 1);
  CHECK(unswitched(12) == 12);
  CHECK(unswitched(14) == 12);
  CHECK(unswitched(1, [](For& f) { f.rows = 2, f.columns = 4; }) == 0);
  CHECK(unswitched(1, [](For& f) { f.waits = true; }) == 0);
  CHECK(unswitched(1, [](For& f) { f.kind = LoopKind::Par; }) == 0);
  CHECK(unswitched(1, [](For& f) { f.body = {{If{{compare_term(less(f.var, 5))}, f.body}}}; }) == 0);
}

TEST_CASE("unswitch-loops: stencils with borders of any kind are what they were") {
  for (const char* border : {"clamp", "mirror", "wrap", "constant 3.0"})
    for (const char* size : {"1.1.9", "2.3.9", "5.4.17"})
      (void)test::run(
          parse_program(std::string("param x : ") + size + ".f64\nresult y = x |> pad3(1, 1, " + border +
                        ") |> slide3(3, 1) |> map3(\\w. w[0, 1, 1] + 2 * w[2, 1, 1] + 3 * w[1, 0, 1] + "
                        "4 * w[1, 2, 1] + 5 * w[1, 1, 0] + 6 * w[1, 1, 2])\n"));
}

}  // namespace unswitch_test
