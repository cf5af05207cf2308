// Programs of several sweeps: found, taken apart, put in place where that is safe.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"

namespace lift::sweeps_test {
namespace {

const Expr xs = param("xs", array({12}, f64)), ys = param("ys", array({12}, f64));

/// before = 2 now - before, but for the ends.
Expr step(const Expr& now, const Expr& before) {
  return update(before, {Nat(1)},
                zip({slide({Nat(3)}, {Nat(1)}, now), before | drop(1, 1)}) |
                    map([](Expr w, Expr b) { return w[0] + w[2] - b; }));
}
Program program(const Expr& body) { return {"p", {xs, ys}, body, {"xs", "ys"}, {}}; }
/// Distinct ones.
int updates_in_place(const Expr& e) {
  int n = 0;
  visit(e, [&](const Expr& x) { n += x.is(Op::UpdateInPlace); });
  return n;
}
std::string refusal(const Program& p) {
  const auto r = apply(find_rule("update-in-place"), p, {});
  return r ? "" : r.reason();
}

}  // namespace

TEST_CASE("sweeps are found, and each can be looked at by itself") {
  const Program p =
      program(let(step(xs, ys), [](Expr a) { return let(step(a, xs), [&](Expr b) { return step(b, a); }); }));
  CHECK(sweeps_of(p.body) == std::vector<Place>{{0}, {1, 0, 0}, {1, 0, 1, 0}});
  CHECK(single_sweep(p, 0).body == step(xs, ys));
  CHECK(single_sweep(p, 1).body == step(ys, xs));
  CHECK(single_sweep(p, 2).body == step(xs, ys));
  CHECK(sweeps_of(step(xs, ys)) == std::vector<Place>{{}});
  CHECK(single_sweep(program(step(xs, ys)), 0).body == step(xs, ys));
}

TEST_CASE("all sweeps go in place together, or none") {
  const Program p = program(let(step(xs, ys), [](Expr a) { return step(a, xs); }));
  const auto done = apply(find_rule("update-in-place"), p, {});
  REQUIRE(done);
  CHECK(updates_in_place(done->body) == 2);
  // a sweep reads what the first has overwritten
  CHECK(refusal(program(let(step(xs, ys), [](Expr a) {
          return step(ys, a);
        }))).find("is used after a sweep that would overwrite it") != std::string::npos);
  // the second sweep reads its own neighbours
  CHECK(!refusal(program(let(step(xs, ys), [](Expr a) { return step(a, a); }))).empty());
  Program needed = p;
  needed.overwritable = {"ys"};
  CHECK(refusal(needed).find("xs") != std::string::npos);
}

TEST_CASE("the space decides for every sweep") {
  for (const auto& [smoother, sweeps] : {std::pair{"chebyshev", 3}, std::pair{"symmetric-gsrb", 4}}) {
    Problem problem;
    problem.box = 8, problem.boxes = 2, problem.choices["smoother"] = smoother;
    if (smoother == std::string("chebyshev")) problem.choices["degree"] = "3";
    const Program p = find_pattern("smooth3d").build(problem);
    CHECK(sweeps_of(p.body).size() == static_cast<std::size_t>(sweeps));
    const Space space(p, {.target = Target::openmp, .threads = 2});
    const std::vector<Configuration> seeds = space.seeds();
    CHECK(seeds.size() >= 3);
    for (const Configuration& c : seeds) {
      const Program q = replay(p, space.derive(c));
      if (c.contains("in_place") && c.at("in_place") == "no") continue;
      for (const Place& sweep : sweeps_of(q.body)) {  // each is lowered, and in place
        int undecided = 0, parallel = 0;
        visit(part_at(q.body, sweep), [&](const Expr& e) {
          if (e.is(Op::Let)) return;
          undecided += e.is(Op::Update), parallel += e.is(Op::MapPar);
        });
        CHECK(undecided == 0);
        CHECK(parallel >= 1);
      }
    }
  }
}

}  // namespace lift::sweeps_test
