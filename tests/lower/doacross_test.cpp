// Skewed tiles that threads take in turns compute what the stages compute one after the other, bit by bit, in
// whatever order the threads come to run; what would meet is refused, and seen behind the check's back.
#include <doctest/doctest.h>

#include "gmg/legs.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/passes/passes.hpp"
#include "lower/translate/translate.hpp"
#include "patterns/operators.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"
#include "tests/bands.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/spelled.hpp"

namespace lift::doacross_test {
namespace {

using test::LoopsRun;
using test::run_loops;

Program stepped(const Program& p, const std::string& rule, const Arguments& a = {}, const Place& at = {}) {
  const auto r = apply(find_rule(rule), p, at, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}
using Steps = std::vector<std::pair<int, int>>;  ///< axis and width, outermost first
Program in_step(Program p, const Steps& steps) {
  for (const auto& [axis, width] : steps)
    p = stepped(p, "in-step", {std::to_string(axis), std::to_string(width)});
  return p;
}
std::string refusal(const Program& p) {
  const auto r = apply(find_rule("doacross"), p, {}, {});
  return r ? "" : r.reason();
}

/// The sweeps of a smoother in place, within one loop over boxes.
Program smoother(const std::string& name, int sweeps, const std::string& boundary, std::int64_t boxes = 1) {
  Problem problem;
  problem.box = 4, problem.boxes = boxes, problem.ghost = boundary == "ghost" ? sweeps : 1;
  problem.sweeps = sweeps, problem.boundary = boundary, problem.choices = {{"smoother", name}};
  Program p = stepped(smooth3d().build(problem), "update-in-place");
  Place at;
  while (part_at(p.body, at).is(Op::Let)) at.insert(at.end(), {1, 0});
  while (!at.empty()) {
    at.resize(at.size() - 2);
    p = stepped(p, "let-of-maps", {}, at);
  }
  return p;
}

/// In every order, and without iterations that meet.
void check_same(const Kernel& k, const LoopsRun& expected) {
  for (const unsigned turns : {0U, 1U, 2U}) {
    CAPTURE(turns);
    const LoopsRun found = run_loops(k, 1, turns);
    CHECK(found.results == expected.results);
    CHECK(found.races.empty());
  }
}
int loops_in_turns(const Block& b) {
  int n = 0;
  visit(b, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) n += f->doacross ? 1 : 0;
  });
  return n;
}

const Expr u = param("u", array({Nat(11), Nat(9), Nat(4)}, f64));

Expr mean(const Expr& w) {
  return w[1][1][1] + w[0][1][1] * 0.5 + w[2][1][1] + w[1][0][1] - w[1][2][1] + w[1][1][0];
}
Expr heat(const Expr& x) {
  return update(x, {1, 1, 1}, x | slide3(3, 1) | map3([](Expr w) { return mean(w); }));
}
/// The cells of one colour of two, by their last index.
Expr coloured(const Expr& x, int colour, const std::function<Expr(Expr)>& f) {
  const Nat n = 9, m = 7, l = 2;
  return update(x, {1, 1, 1}, zip_n(3, {positions({n, m, l}), x | slide3(3, 1)}) | map3([=](Expr at, Expr w) {
                                return select(eq(get(2, at) % 2, colour), f(w), w[1][1][1]);
                              }));
}

/// p with other lags along an axis.
Program with_lags(const Program& p, std::size_t axis,
                  const std::function<std::int64_t(std::size_t, std::int64_t)>& f) {
  return test::with_bands(p, [&](Band& b) {
    if (b.shape != Band::skewed || b.axis != axis) return;
    for (std::size_t i = 0; i < b.shifts.size(); ++i) b.shifts[i] = f(i, b.shifts[i]);
  });
}

struct LegCase {
  std::string name, faces;
  std::vector<std::int64_t> cells;
};
const std::vector<LegCase>& legs() {
  static const auto& all = *new std::vector<LegCase>{{"down", "dirichlet", {8, 8, 6}},
                                                     {"down", "neumann", {7, 9, 6}},
                                                     {"up", "dirichlet", {8, 8, 6}},
                                                     {"up", "neumann", {6, 10, 6}},
                                                     {"up with norm", "dirichlet", {6, 8, 8}}};
  return all;
}
/// In place.
Program leg_of_cycle(const LegCase& c) {
  gmg::Domain box(c.cells, {.spacing = 0.125});
  if (c.faces == "neumann")
    for (const gmg::Axis a : {gmg::Axis::k, gmg::Axis::j, gmg::Axis::i}) {
      box.face({a, false}) = gmg::neumann();
      box.face({a, true}) = gmg::neumann();
    }
  const gmg::Equation equation = gmg::helmholtz(box);
  const gmg::Transfer t(gmg::Grid(equation, box), {2, 2, 2});
  const gmg::Colours colours = *gmg::colours_of(equation, box);
  return stepped(c.name == "down" ? gmg::down_leg_program(t, colours, 1)
                                  : gmg::up_leg_program(t, colours, 1, c.name != "up"),
                 "overwrite-bases");
}

}  // namespace

TEST_CASE("doacross: smoothers, boundaries, depths and tiles, bit by bit in every order of threads") {
  for (const char* name : {"gsrb", "jacobi"})
    for (const char* boundary : {"ghost", "neumann", "dirichlet"})
      for (const int sweeps : {2, 3, 4}) {
        if (sweeps != 3 && (boundary != std::string("neumann") || name == std::string("jacobi"))) continue;
        const Program p = smoother(name, sweeps, boundary, sweeps == 2 ? 2 : 1);
        const LoopsRun expected = run_loops(lower(p), 1);
        for (const Steps& steps :
             {Steps{{1, 2}, {0, 1}}, {{1, 1}, {0, 2}}, {{0, 3}, {1, 1}}, {{2, 3}, {1, 2}, {0, 2}}}) {
          CAPTURE(name);
          CAPTURE(boundary);
          CAPTURE(sweeps);
          const Kernel k = lower(stepped(in_step(p, steps), "doacross"));
          CHECK(loops_in_turns(k.body) == 1);
          check_same(k, expected);
        }
      }
}

TEST_CASE("doacross: a user's steps, in two arrays that take turns") {
  const auto chain = [](int stages) {
    const std::function<Expr(const Expr&, int)> more = [&](const Expr& x, int n) -> Expr {
      return n == 1 ? heat(x) : let(heat(x), [&, n](Expr y) { return more(y, n - 1); });
    };
    return Program{"heat", {u}, more(u, stages), {}, {}};
  };
  for (const int stages : {3, 5}) {
    const Program p = chain(stages), two = stepped(p, "two-arrays");
    const LoopsRun expected = run_loops(lower(p), 1);
    for (const Steps& steps : {Steps{{1, 2}, {0, 1}}, {{1, 4}, {0, 2}}, {{1, 20}, {0, 1}}})
      check_same(lower(stepped(in_step(two, steps), "doacross")), expected);
  }
}

/// Unlike stages in place, on two grids: what comes before half-sweeps makes two planes and two rows an
/// iteration; what follows them reads two of each.
TEST_CASE("doacross: legs of a cycle, bit by bit in every order of threads") {
  for (const LegCase& leg : legs()) {
    CAPTURE(leg.name);
    const Program p = leg_of_cycle(leg);
    const LoopsRun expected = run_loops(lower(p), 1);
    for (const Steps& steps : {Steps{{1, 4}, {0, 1}}, {{1, 3}, {0, 1}}, {{1, 1}, {0, 2}}, {{0, 3}, {1, 2}}}) {
      const Kernel k = lower(stepped(in_step(p, steps), "doacross"));
      CHECK(loops_in_turns(k.body) == 1);
      check_same(k, expected);
    }
  }
}

/// The residual has a name, and is read by pairs of rows: each thread keeps those of its tile, of two planes.
TEST_CASE("doacross: rings of what is read within a tile") {
  const Program p =
      stepped(leg_of_cycle({"down", "neumann", {8, 12, 6}}), "let-part", {1, 1, 1, 0}, {1, 0, 1, 0});
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const Steps& steps : {Steps{{1, 4}, {0, 1}}, {{1, 2}, {0, 1}}, {{1, 4}, {0, 2}}, {{1, 8}, {0, 3}}}) {
    CAPTURE(steps[0].second);
    const Program rings = stepped(p, "rings-in-turns", {std::to_string(steps[0].second)});
    const Kernel k = lower(stepped(in_step(rings, steps), "doacross"));
    CHECK(loops_in_turns(k.body) == 1);
    check_same(k, expected);
    const Kernel finished = for_target(k, Target::openmp);
    CHECK(loops_in_turns(finished.body) == 1);
  }
  // Rows of three a step are not those of whole pairs; nor are these, by other lags.
  CHECK_FALSE(apply(find_rule("rings-in-turns"), p, {}, {"3"}));
  const Program rings = stepped(in_step(stepped(p, "rings-in-turns", {"4"}), {{1, 4}, {0, 1}}), "doacross");
  const std::size_t stages = chain_of(rings).bands[0].shifts.size();
  const Program apart =
      with_lags(rings, 1, [&](std::size_t i, std::int64_t lag) { return i + 2 >= stages ? lag + 1 : lag; });
  CHECK_THROWS_WITH_AS(lower(apart), doctest::Contains("beyond a step along axis 1"), UserError);
  CHECK(run_loops(translate(apart), 1, 1).results != expected.results);
}

TEST_CASE("doacross: a stage of a leg that is a plane early along either axis is seen") {
  for (const LegCase& leg : legs()) {
    CAPTURE(leg.name);
    const Program p = leg_of_cycle(leg), q = stepped(in_step(p, {{1, 1}, {0, 1}}), "doacross");
    const LoopsRun expected = run_loops(lower(p), 1);
    const std::size_t last = chain_of(q).bands[0].shifts.size() - 1;
    for (const std::size_t axis : {0, 1}) {
      const Program wrong =
          with_lags(q, axis, [&](std::size_t i, std::int64_t lag) { return i == last ? lag - 1 : lag; });
      CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("has to stay"), UserError);
      bool seen = false;
      for (const unsigned turns : {0U, 1U, 2U}) {
        const LoopsRun found = run_loops(translate(wrong), 1, turns);
        seen = seen || found.results != expected.results || !found.races.empty();
      }
      CHECK(seen);
    }
  }
}

TEST_CASE("doacross: a lag of a plane less along either axis is seen") {
  const Program p = smoother("gsrb", 3, "neumann");
  const Program q = stepped(in_step(p, {{1, 1}, {0, 1}}), "doacross");
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const std::size_t axis : {0, 1}) {
    const Program wrong =
        with_lags(q, axis, [](std::size_t i, std::int64_t lag) { return i == 2 ? lag - 1 : lag; });
    CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("has to stay"), UserError);
    bool seen = false;
    for (const unsigned turns : {0U, 1U, 2U}) {
      const LoopsRun found = run_loops(translate(wrong), 1, turns);
      seen = seen || found.results != expected.results || !found.races.empty();
    }
    CHECK(seen);
  }
}

TEST_CASE("doacross: what cannot be says why") {
  const Program p = smoother("gsrb", 2, "neumann");
  CHECK(refusal(p) == "no chain goes in step");
  CHECK(refusal(in_step(p, {{0, 1}})).find("put it around a skewed band along another axis") !=
        std::string::npos);
  const Program q = in_step(p, {{1, 2}, {0, 1}}), turns = stepped(q, "doacross");
  CHECK(refusal(turns) == "the threads take the steps in turns already");
  const auto inner_too = [](const Program& given) {
    return test::with_bands(given, [](Band& b) { b.run = Band::turns; });
  };
  CHECK_THROWS_WITH_AS(lower(inner_too(q)), doctest::Contains("use it for the outermost"), UserError);
  CHECK_THROWS_WITH_AS(lower(inner_too(in_step(p, {{0, 1}}))), doctest::Contains("along another axis"),
                       UserError);
}

/// Two colours, neither of which reads the other: nothing says in which order they come. In vectors under a
/// mask each writes the other's old values.
TEST_CASE("doacross: stages that write the same rows come in one order along both axes") {
  const auto own = [](const Expr& w) { return w[1][1][1] * 2.0; };
  const Program p =
      stepped({"rows", {u}, let(coloured(u, 0, own), [&](Expr x) { return coloured(x, 1, own); }), {"u"}, {}},
              "update-in-place");
  const Program q = stepped(in_step(p, {{1, 1}, {0, 1}}), "doacross");
  check_same(lower(q), run_loops(lower(p), 1));
  for (const std::size_t axis : {0, 1}) {
    const Program ahead = with_lags(q, axis, [](std::size_t i, std::int64_t) { return i == 0 ? 1 : 0; });
    CHECK_THROWS_WITH_AS(lower(ahead), doctest::Contains("both write rows of u"), UserError);
  }
  // One in front along one axis, the other along the other: rows are written by two threads at once.
  const Program crossed =
      with_lags(with_lags(q, 0, [](std::size_t i, std::int64_t) { return i == 0 ? 1 : 0; }), 1,
                [](std::size_t i, std::int64_t) { return i == 0 ? 0 : 1; });
  CHECK_FALSE(run_loops(translate(crossed), 1, 1).races.empty());
}

TEST_CASE("doacross: only where threads are free to take turns") {
  const auto finished = [](const Program& p) { return for_target(lower(p), Target::openmp); };
  const Program one = stepped(in_step(smoother("gsrb", 2, "neumann"), {{1, 2}, {0, 1}}), "doacross");
  CHECK(loops_in_turns(finished(one).body) == 1);
  const std::string text = test::openmp_of(lower(one));
  CHECK(text.find("await_turn(turns, s, s_2);") != std::string::npos);
  CHECK(text.find("end_turn(turns, s, s_2);") != std::string::npos);
  CHECK(text.find("end_turn(turns, s, last_step);") != std::string::npos);
  CHECK(text.find("< turn_of(tile - 1, step);") != std::string::npos);
  // Boxes that threads share have a thread each.
  Program boxes = stepped(in_step(smoother("gsrb", 2, "neumann", 3), {{1, 2}, {0, 1}}), "doacross");
  boxes = stepped(boxes, "map-par", {}, loop_places(boxes.body).front());
  const Kernel k = finished(boxes);
  CHECK(loops_in_turns(k.body) == 0);
  CHECK(test::openmp_of(lower(boxes)).find("await_turn") == std::string::npos);
  CHECK(run_loops(k, 1).results == run_loops(lower(boxes), 1).results);
  // One tile as long as the axis is no loop.
  CHECK(loops_in_turns(
            finished(stepped(in_step(smoother("gsrb", 2, "neumann"), {{1, 50}, {0, 1}}), "doacross")).body) ==
        0);
}

/// for t: for s: vectors of row s are streamed.
TEST_CASE(
    "doacross: what is streamed is done before others go on; what is not in steps is done by one thread") {
  const auto loop = [](const char* name, std::int64_t n, LoopKind kind, Block body) {
    For f;
    f.var = Nat::fresh(name, 0, n - 1), f.lower = 0, f.upper = n, f.kind = kind, f.body = std::move(body);
    return f;
  };
  const auto nest = [&](bool beside) {
    For vectors = loop("i", 8, LoopKind::Vec, {});
    vectors.width = 4;
    vectors.step = 4;
    vectors.body = {{Store{"a", {vectors.var}, load_term("c", {vectors.var}, f64, 4), true}}};
    For steps = loop("s", 5, LoopKind::Seq, {{vectors}});
    steps.waits = true;
    For tiles = loop("t", 3, LoopKind::Seq, {{steps}});
    if (beside) tiles.body.insert(tiles.body.begin(), {Store{"b", {Nat(0)}, constant_term(1, f64), false}});
    tiles.doacross = true;
    return fence_streams(form_doacross({{tiles}}));
  };
  const Block b = nest(false);
  CHECK(loops_in_turns(b) == 1);
  const auto& steps = std::get<For>(std::get<For>(b.at(0).v).body.at(0).v);
  REQUIRE(steps.body.size() == 2);
  CHECK(std::holds_alternative<Fence>(steps.body[1].v));
  CHECK(loops_in_turns(nest(true)) == 0);
}

TEST_CASE("doacross: where there are fewer boxes than threads, tiles go so, and the numbers are the same") {
  for (const char* name : {"gsrb", "jacobi"}) {
    Problem problem;
    problem.box = 18, problem.boxes = 1, problem.sweeps = 3, problem.boundary = "neumann";
    problem.choices = {{"smoother", name}};
    const Program p = smooth3d().build(problem);
    const Space space(p, {Target::openmp, 2, 32});
    const LoopsRun expected = run_loops(lower(stepped(p, "update-in-place")), 1);
    int found = 0;
    for (const Configuration& c : space.seeds()) {
      if (space.structure(c).find("threads take tiles in turns") == std::string::npos) continue;
      CAPTURE(space.structure(c));
      ++found;
      const Kernel k = lower(replay(space.program(), space.derive(c)), {.vector_bytes = 32});
      CHECK(loops_in_turns(k.body) == 1);
      CHECK(run_loops(k, 1, 1).results == expected.results);
    }
    CHECK(found >= 1);
    const Space alone(p, {Target::openmp, 1, 32});
    for (const Configuration& c : alone.seeds()) CHECK(alone.structure(c).find("turns") == std::string::npos);
  }
}

}  // namespace lift::doacross_test
