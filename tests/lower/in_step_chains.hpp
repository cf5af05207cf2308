// What the tests of chains in step share: chains, schedules, and the comparison with one stage after the
// other.
#pragma once

#include <doctest/doctest.h>

#include <random>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/printable.hpp"
#include "lower/translate/translate.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"
#include "tests/bands.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::in_step_test {

using test::LoopsRun;
using test::run_loops;

inline Program stepped(Program p, const std::string& rule, const Arguments& a = {}, const Place& at = {}) {
  const auto r = apply(find_rule(rule), p, at, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}

struct Schedule {
  std::vector<std::pair<int, int>> steps;  ///< axis and width, outermost first
};
inline std::string text_of(const Schedule& s) {
  std::string t;
  for (const auto& [axis, width] : s.steps) t += " " + std::to_string(axis) + ":" + std::to_string(width);
  return t;
}

/// The sweeps within one loop over boxes.
inline Program in_shared_loop(Program p) {
  Place at;
  while (part_at(p.body, at).is(Op::Let)) at.insert(at.end(), {1, 0});
  while (!at.empty()) {
    at.resize(at.size() - 2);
    p = stepped(p, "let-of-maps", {}, at);
  }
  return p;
}
/// In place, one loop over boxes; not yet in step.
inline Program in_one_loop(const Problem& problem) {
  return in_shared_loop(stepped(smooth3d().build(problem), "update-in-place"));
}
inline Program in_step(Program p, const Schedule& s) {
  for (const auto& [axis, width] : s.steps)
    p = stepped(p, "in-step", {std::to_string(axis), std::to_string(width)});
  return p;
}
inline std::string refusal(const Program& p, int axis) {
  const auto r = apply(find_rule("in-step"), p, {}, {std::to_string(axis), "1"});
  return r ? "" : r.reason();
}

inline Problem problem(int sweeps, const std::string& boundary, const std::string& smoother,
                       std::int64_t boxes = 2) {
  Problem p;
  p.box = 5, p.boxes = boxes, p.ghost = boundary == "ghost" ? sweeps : 1, p.sweeps = sweeps;
  p.boundary = boundary, p.choices = {{"smoother", smoother}};
  return p;
}

/// Both colours, twice; the results are the same numbers.
inline void check_same(const Program& p, const Program& together) {
  const Kernel one = lower(p), other = lower(together);
  CHECK(other.arguments.size() == one.arguments.size());
  for (const unsigned seed : {1U, 2U}) {
    const LoopsRun expected = run_loops(one, seed), found = run_loops(other, seed);
    CHECK_MESSAGE(found.results == expected.results, lift::str(other.body));
    CHECK(found.races.empty());
  }
}

inline const std::vector<Schedule> kSchedules{
    {{{0, 1}}}, {{{0, 3}}}, {{{1, 1}}}, {{{1, 2}, {0, 1}}}, {{{2, 3}, {1, 2}, {0, 2}}}};

/// p with other lags in its only steps.
inline Program with_lags(const Program& p, const std::vector<std::int64_t>& lags) {
  return test::with_shifts(p, Band::skewed, lags);
}
/// p with a plane less in the ring of a stage; `whole`: it has all planes.
inline Program with_fewer_planes(const Program& p, int stage, bool& whole) {
  Program q = p;
  int n = 0;
  const std::function<Expr(const Expr&)> changed = [&](const Expr& e) {
    if (!e.is(Op::Ring)) return map_children(e, changed);
    if (n++ != stage) return e;
    whole = ring_planes(e) == shape_of(e.type())[0];
    return make(Op::Ring, {e.child(0)}, attributes::nats({ring_planes(e) - 1}));
  };
  q.body = changed(p.body);
  return q;
}
inline std::size_t teams(const Block& b) {
  std::size_t n = 0;
  visit(b, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) n += f->team ? 1 : 0;
  });
  return n;
}
inline std::vector<std::int64_t> lags_of(const Program& p) {
  std::vector<std::int64_t> lags;
  visit(p.body, [&](const Expr& e) {
    if (is_band(e, Band::skewed)) lags = band_of(e).shifts;
  });
  return lags;
}

inline const Expr u = param("u", array({Nat(9), Nat(7)}, f64));

/// A 9-point stencil on the cells of one of four colours, over all but the border.
inline Expr coloured(const Expr& x, int a, int b) {
  const auto inner = shape_of(x.type());
  const Nat m = inner[0] - 2, n = inner[1] - 2;
  const auto mean = [](const Expr& w) {
    Expr sum = w[0][0];
    for (int i = 1; i < 9; ++i) sum = sum + w[i / 3][i % 3];
    return sum * 0.125;
  };
  return update(x, {1, 1}, zip_n(2, {positions({m, n}), x | slide2(3, 1)}) | map2([=](Expr at, Expr w) {
                             return select(eq(get(0, at) % 2, a) && eq(get(1, at) % 2, b), mean(w), w[1][1]);
                           }));
}

/// Each stage computes its own step of `u` or a coarser array from the one before.
inline Program chain_of_steps(const std::function<Expr(Expr)>& step, int stages) {
  const std::function<Expr(const Expr&, int)> more = [&](const Expr& x, int n) -> Expr {
    return n == 1 ? step(x) : let(step(x), [&, n](Expr y) { return more(y, n - 1); });
  };
  return {"chain", {u}, more(u, stages), {}, {}};
}

}  // namespace lift::in_step_test
