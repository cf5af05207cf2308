// Chains whose stages go along axes together compute what the stages compute one after the other, bit by bit;
// lags are the least ones, and what no lag allows is refused by name.
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
#include "rewrite/analysis/lags.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::in_step_test {
namespace {

using test::LoopsRun;
using test::run_loops;

Program stepped(Program p, const std::string& rule, const Arguments& a = {}, const Place& at = {}) {
  const auto r = apply(find_rule(rule), p, at, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}

struct Schedule {
  std::vector<std::pair<int, int>> steps;  ///< axis and width, outermost first
};
std::string text_of(const Schedule& s) {
  std::string t;
  for (const auto& [axis, width] : s.steps) t += " " + std::to_string(axis) + ":" + std::to_string(width);
  return t;
}

/// The sweeps within one loop over boxes.
Program in_shared_loop(Program p) {
  Place at;
  while (part_at(p.body, at).is(Op::Let)) at.insert(at.end(), {1, 0});
  while (!at.empty()) {
    at.resize(at.size() - 2);
    p = stepped(p, "let-of-maps", {}, at);
  }
  return p;
}
/// In place, one loop over boxes; not yet in step.
Program in_one_loop(const Problem& problem) {
  return in_shared_loop(stepped(smooth3d().build(problem), "update-in-place"));
}
Program in_step(Program p, const Schedule& s) {
  for (const auto& [axis, width] : s.steps)
    p = stepped(p, "in-step", {std::to_string(axis), std::to_string(width)});
  return p;
}
std::string refusal(const Program& p, int axis) {
  const auto r = apply(find_rule("in-step"), p, {}, {std::to_string(axis), "1"});
  return r ? "" : r.reason();
}

Problem problem(int sweeps, const std::string& boundary, const std::string& smoother,
                std::int64_t boxes = 2) {
  Problem p;
  p.box = 5, p.boxes = boxes, p.ghost = boundary == "ghost" ? sweeps : 1, p.sweeps = sweeps;
  p.boundary = boundary, p.choices = {{"smoother", smoother}};
  return p;
}

/// Both colours, twice; the results are the same numbers.
void check_same(const Program& p, const Program& together) {
  const Kernel one = lower(p), other = lower(together);
  CHECK(other.arguments.size() == one.arguments.size());
  for (const unsigned seed : {1U, 2U}) {
    const LoopsRun expected = run_loops(one, seed), found = run_loops(other, seed);
    CHECK_MESSAGE(found.results == expected.results, lift::str(other.body));
    CHECK(found.races.empty());
  }
}

const std::vector<Schedule> kSchedules{
    {{{0, 1}}}, {{{0, 3}}}, {{{1, 1}}}, {{{1, 2}, {0, 1}}}, {{{2, 3}, {1, 2}, {0, 2}}}};

/// p with other lags in its only in_step.
Program with_lags(const Program& p, const std::vector<std::int64_t>& lags) {
  Program q = p;
  const std::function<Expr(const Expr&)> changed = [&](const Expr& e) {
    if (!is_in_step(e.op())) return map_children(e, changed);
    return make(e.op(), {e.child(0)}, attributes::steps(step_axis(e), step_width(e), lags));
  };
  q.body = changed(p.body);
  return q;
}
/// p with a plane less in the ring of a stage; `whole`: it has all planes.
Program with_fewer_planes(const Program& p, int stage, bool& whole) {
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
std::size_t teams(const Block& b) {
  std::size_t n = 0;
  visit(b, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) n += f->team ? 1 : 0;
  });
  return n;
}
std::vector<std::int64_t> lags_of(const Program& p) {
  std::vector<std::int64_t> lags;
  visit(p.body, [&](const Expr& e) {
    if (is_in_step(e.op())) lags = step_lags(e);
  });
  return lags;
}

const Expr u = param("u", array({Nat(9), Nat(7)}, f64));

/// A 9-point stencil on the cells of one of four colours, over all but the border.
Expr coloured(const Expr& x, int a, int b) {
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

}  // namespace

TEST_CASE("in step: half-sweeps, every boundary, depth and schedule, bit by bit") {
  for (const char* boundary : {"ghost", "dirichlet", "neumann", "clamp", "mirror", "constant"})
    for (const int sweeps : {2, 3, 5}) {
      const Program p = in_one_loop(problem(sweeps, boundary, "gsrb"));
      for (const Schedule& s : kSchedules) {
        if ((sweeps == 5 || std::string(boundary) != "ghost") && s.steps.size() == 1) continue;
        if (sweeps == 5 && std::string(boundary) != "ghost" && std::string(boundary) != "neumann") continue;
        CAPTURE(boundary);
        CAPTURE(sweeps);
        CAPTURE(text_of(s));
        check_same(p, in_step(p, s));
      }
    }
}

TEST_CASE("in step: any smoother, boundary, depth up to eight, number of boxes and schedule, bit by bit") {
  std::mt19937 random(11);
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::string> boundaries{"ghost", "dirichlet", "neumann", "clamp", "mirror", "constant"},
      smoothers{"gsrb", "jacobi", "chebyshev", "symmetric-gsrb"};
  int in_place = 0, in_rings = 0, in_tiles = 0;
  for (int n = 0; n < 21; ++n) {
    const std::string &smoother = smoothers[n % 3 == 2 ? 2 + any(2) : any(2)], &boundary = boundaries[any(6)];
    const bool of_fixed_depth = smoother == "chebyshev" || smoother == "symmetric-gsrb";
    const int sweeps = of_fixed_depth ? 1 : 2 + n % 7;
    Problem p = problem(sweeps, of_fixed_depth && boundary == "ghost" ? "neumann" : boundary, smoother,
                        sweeps > 3 ? 1 + any(2) : 1 + any(9));
    p.box = 3 + any(sweeps > 5 ? 2 : 4);
    if (smoother == "chebyshev") p.choices["degree"] = std::to_string(2 + any(3));
    INFO(n << ": " << smoother << ", " << p.boundary << ", " << sweeps << " sweeps, " << p.boxes
           << " boxes of " << p.box);
    const Program program = smooth3d().build(p);
    if (const auto updated = apply(find_rule("update-in-place"), program, {}); updated && any(2) == 0) {
      const Program one = in_shared_loop(*updated);
      check_same(one, in_step(one, kSchedules[static_cast<std::size_t>(any(5))]));
      ++in_place;
      continue;
    }
    Program rings = stepped(in_shared_loop(program), "rings");
    for (const int axis : {2, 1, 0})
      if (any(2) == 0) rings = stepped(rings, "in-tiles", {axis, 1 + any(4)}), ++in_tiles;
    rings = in_step(rings, {{{0, 1 + any(3)}}});
    ++in_rings;
    CHECK(run_loops(lower(rings), 1).results == run_loops(lower(program), 1).results);
  }
  CHECK(in_place >= 5);
  CHECK(in_rings >= 5);
  CHECK(in_tiles >= 5);
}

TEST_CASE("in step: two arrays that take turns, and stages that are other operators") {
  for (const char* boundary : {"ghost", "neumann"})
    for (const int sweeps : {2, 4}) {
      const Program p = in_one_loop(problem(sweeps, boundary, "jacobi"));
      for (const Schedule& s : kSchedules) {
        CAPTURE(boundary);
        CAPTURE(text_of(s));
        check_same(p, in_step(p, s));
      }
    }
  // What stages compute that overwrite nothing lies in arrays of the kernel's own.
  const Expr x = param("x", array({Nat(11), Nat(6)}, f64));
  const auto mean = [](const Expr& y, int step) {
    return y | pad2(1, 1, clamp) | slide2(3, step) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; });
  };
  const Program chain{
      "p",
      {x},
      let(mean(x, 1), [&](Expr a) { return let(mean(a, 1), [&](Expr b) { return mean(b, 1); }); }),
      {},
      {}};
  for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 2}}}, Schedule{{{1, 2}, {0, 1}}}})
    test::run(in_step(chain, s));
}

TEST_CASE("in step: a user's four colours, of any and of symbolic size") {
  const auto chain = [](const Expr& x) {
    return let(coloured(x, 0, 0), [](Expr a) {
      return let(coloured(a, 1, 1),
                 [](Expr b) { return let(coloured(b, 1, 0), [](Expr c) { return coloured(c, 0, 1); }); });
    });
  };
  const Program p = stepped({"four", {u}, chain(u), {"u"}, {}}, "update-in-place");
  for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 4}}}, Schedule{{{1, 1}, {0, 1}}}})
    check_same(p, in_step(p, s));
  const Expr any = param("u", array({Nat::size("n", 3), Nat::size("m", 3)}, f64));
  const Program q = in_step(stepped({"four", {any}, chain(any), {"u"}, {}}, "update-in-place"), {{{0, 1}}});
  CHECK(lags_of(q) == std::vector<std::int64_t>{0, 1, 1, 2});  // two of the colours share rows
  CHECK_NOTHROW(lower(q));
}

TEST_CASE("in step: stages that overwrite nothing take turns in two arrays") {
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); };
  const auto chain = [](const std::function<Expr(Expr)>& step, int stages) {
    const std::function<Expr(Expr, int)> more = [&](const Expr& x, int n) -> Expr {
      return n == 1 ? step(x) : let(step(x), [&, n](Expr y) { return more(y, n - 1); });
    };
    return more(u, stages);
  };
  for (const bool border : {true, false})
    for (const int stages : {3, 4, 6}) {
      CAPTURE(border);
      CAPTURE(stages);
      const Program p{
          "chain", {u}, chain(border ? std::function<Expr(Expr)>(heat) : clamped, stages), {}, {}};
      const Program two = stepped(p, "two-arrays");
      const auto work = [](const Kernel& k) { return test::count<Allocate>(k.body); };
      CHECK(work(test::run(two)) == 2);
      for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 3}}}, Schedule{{{1, 2}, {0, 1}}}})
        CHECK(work(test::run(in_step(two, s))) == 2);
    }
  const auto why_not = [](const Expr& body) {
    const auto r = apply(find_rule("two-arrays"), Program{"p", {u}, body, {}, {}}, {});
    return r ? "" : r.reason();
  };
  CHECK(why_not(chain(heat, 2)).find("fewer than three stages") != std::string::npos);
  CHECK(why_not(let(heat(u), [&](Expr a) {
          return let(clamped(a), [&](Expr b) { return heat(b); });
        })).find("stage 2 is no array like that of stage 1") != std::string::npos);
  CHECK(why_not(let(clamped(u), [&](Expr a) {
          return let(clamped(a), [&](Expr b) {
            return zip_n(2, {a, b}) | map2([](Expr v, Expr w) { return v + w; });
          });
        })).find("reads stage 1, which is older") != std::string::npos);
  // An array of the program's own may be overwritten; one that is computed where it is used has no place.
  CHECK_THROWS_WITH_AS(
      lower({"p", {u}, make(Op::UpdateInPlace, {clamped(u), clamped(u)}, attributes::nats({0, 0})), {}, {}}),
      doctest::Contains("the base is computed"), InternalError);
}

TEST_CASE("in step: rings keep the planes that later stages still read, borders with them") {
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); };
  const auto wide = [](const Expr& x) {  // borders of other widths, reads two rows ahead only
    const Expr block = x | slide2(3, 1) | map2([](Expr w) { return w[0][0] - w[2][2]; });
    return update(x, {0, 2}, block);
  };
  const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> steps{
      {"heat", heat}, {"clamped", clamped}, {"wide", wide}};
  for (const auto& [name, step] : steps)
    for (const int stages : {2, 3, 5}) {
      const std::function<Expr(const Expr&, int)> more = [&, &step = step](const Expr& x, int n) -> Expr {
        return n == 1 ? step(x) : let(step(x), [&, n](Expr y) { return more(y, n - 1); });
      };
      const Program p{"chain", {u}, more(u, stages), {}, {}};
      const LoopsRun expected = run_loops(lower(p), 1);
      for (const int width : {1, 2, 3, 20}) {
        CAPTURE(name);
        CAPTURE(stages);
        CAPTURE(width);
        const Program q = in_step(stepped(p, "rings"), {{{0, width}}});
        const Kernel k = test::run(q);
        CHECK(test::count<Allocate>(k.body) == static_cast<std::size_t>(stages) - 1);
        CHECK(run_loops(k, 1).results == expected.results);
        // Behind the check's back: one plane fewer is too few, unless all planes are there.
        for (int s = 0; s + 1 < stages; ++s) {
          bool whole = false;
          const Program wrong = with_fewer_planes(q, s, whole);
          if (whole) continue;
          CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("are still read"), UserError);
          CHECK(run_loops(translate(wrong), 1).results != expected.results);
        }
      }
    }
}

/// Each stage computes its own step of `u` or a coarser array from the one before.
Program chain_of_steps(const std::function<Expr(Expr)>& step, int stages) {
  const std::function<Expr(const Expr&, int)> more = [&](const Expr& x, int n) -> Expr {
    return n == 1 ? step(x) : let(step(x), [&, n](Expr y) { return more(y, n - 1); });
  };
  return {"chain", {u}, more(u, stages), {}, {}};
}
/// p with other margins in its in_tiles.
Program with_margins(const Program& p, const std::vector<std::int64_t>& margins) {
  Program q = p;
  const std::function<Expr(const Expr&)> changed = [&](const Expr& e) {
    if (!e.is(Op::InTiles)) return map_children(e, changed);
    return make(e.op(), {e.child(0)}, attributes::steps(step_axis(e), step_width(e), margins));
  };
  q.body = changed(p.body);
  return q;
}

TEST_CASE("in tiles: each computes what its part of the result needs, in step or one stage after the other") {
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); };
  const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> kinds{{"heat", heat},
                                                                             {"clamped", clamped}};
  for (const auto& [name, step] : kinds)
    for (const int stages : {2, 3, 5}) {
      const Program p = chain_of_steps(step, stages);
      const LoopsRun expected = run_loops(lower(p), 1);
      for (const int tile : {1, 2, 4, 5, 20})
        for (const int width : {0, 1, 2, 7}) {
          CAPTURE(name);
          CAPTURE(stages);
          CAPTURE(tile);
          CAPTURE(width);
          const Program tiled = stepped(stepped(p, "rings"), "in-tiles", {"0", std::to_string(tile)});
          const Program q = width > 0 ? in_step(tiled, {{{0, width}}}) : tiled;
          const LoopsRun found = run_loops(test::run(q), 1);
          CHECK(found.results == expected.results);
          CHECK(found.races.empty());
          std::vector<std::int64_t> margins;
          for (int s = 0; s < stages; ++s) margins.push_back(stages - 1 - s);
          CHECK(tile_margins(chain_of(q).tiles.at(0)) == margins);
          if (tile > 5) continue;
          --margins[0];  // behind the check's back, part of the first stage is never computed
          CHECK_THROWS_WITH_AS(lower(with_margins(q, margins)), doctest::Contains("beyond the tile"),
                               UserError);
          CHECK(run_loops(translate(with_margins(q, margins)), 1).results != expected.results);
        }
    }
}

TEST_CASE("in tiles: along other axes, and several, around steps along the outermost") {
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& x) { return x | pad2(1, 1, mirror) | slide2(3, 1) | map2(mean); };
  const std::vector<std::pair<std::string, std::function<Expr(Expr)>>> kinds{{"heat", heat},
                                                                             {"mirrored", clamped}};
  for (const auto& [name, step] : kinds)
    for (const int stages : {2, 4}) {
      const Program p = chain_of_steps(step, stages);
      const LoopsRun expected = run_loops(lower(p), 1);
      for (const Schedule& tiles : {Schedule{{{1, 1}}}, Schedule{{{1, 3}}}, Schedule{{{1, 20}}},
                                    Schedule{{{1, 2}, {0, 4}}}, Schedule{{{0, 3}, {1, 4}}}})
        for (const int width : {0, 1, 2}) {
          CAPTURE(name);
          CAPTURE(stages);
          CAPTURE(text_of(tiles));
          CAPTURE(width);
          Program q = stepped(p, "rings");
          for (const auto& [axis, size] : tiles.steps)
            q = stepped(q, "in-tiles", {std::to_string(axis), std::to_string(size)});
          if (width > 0) q = in_step(q, {{{0, width}}});
          const LoopsRun found = run_loops(test::run(q), 1);
          CHECK(found.results == expected.results);
          CHECK(found.races.empty());
        }
    }
}

TEST_CASE("in tiles: rows of a plate are cut where they are vectors, too") {
  const Expr x = param("x", array({Nat(13), Nat(1101)}, f64));
  const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
  const auto heat = [&](const Expr& y) { return update(y, {1, 1}, y | slide2(3, 1) | map2(mean)); };
  const auto clamped = [&](const Expr& y) { return y | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); };
  for (const bool border : {true, false}) {
    const auto step = [&](const Expr& y) { return border ? heat(y) : clamped(y); };
    const Program p{"plate",
                    {x},
                    let(step(x), [&](Expr a) { return let(step(a), [&](Expr b) { return step(b); }); }),
                    {},
                    {}};
    const LoopsRun expected = run_loops(lower(p), 1);
    const Space space(p, {Target::openmp, 2, 32});
    int found = 0;
    for (const Configuration& c : space.seeds()) {
      Configuration cut = c;
      if (!c.contains("strips") || !c.contains("rings") || c.at("rings") != "yes") continue;
      cut.set("strips", "i1024");
      CAPTURE(border);
      const Kernel k = lower(replay(space.program(), space.derive(cut)), {.vector_bytes = 32});
      ++found;
      const LoopsRun r = run_loops(k, 1);
      CHECK(r.results == expected.results);
      CHECK(r.races.empty());
      std::size_t vectors = 0;
      visit(k.body, [&](const Stmt& s) {
        if (const auto* f = std::get_if<For>(&s.v)) vectors += f->kind == LoopKind::Vec ? 1 : 0;
      });
      CHECK(vectors >= 3);
    }
    CHECK(found >= 1);
  }
}

TEST_CASE("in tiles: grids of two spacings") {
  const Expr x = param("x", array({Nat(17), Nat(13)}, f64));
  const auto fine = [](const Expr& y) {
    return y | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; });
  };
  const auto coarse = [](const Expr& y) {
    return y | slide2(3, 2) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Program p{"cycle",
                  {x},
                  let(fine(x), [&](Expr a) { return let(fine(a), [&](Expr b) { return coarse(b); }); }),
                  {},
                  {}};
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const int tile : {1, 2, 3, 4, 6, -1, -2, -5})  // negative: along axis 1
    for (const int width : {0, 1, 2, 3}) {
      const Program tiled =
          stepped(stepped(p, "rings"), "in-tiles", {tile > 0 ? "0" : "1", std::to_string(std::abs(tile))});
      const LoopsRun found = run_loops(test::run(width > 0 ? in_step(tiled, {{{0, width}}}) : tiled), 1);
      CHECK(found.results == expected.results);
      CHECK(found.races.empty());
    }
}

TEST_CASE("in tiles: what cannot be says why") {
  const auto clamped = [&](const Expr& x) {
    return x | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1]; });
  };
  const auto why_not = [](const Program& q) {
    const auto r = apply(find_rule("in-tiles"), q, {}, {"0", "4"});
    return r ? "" : r.reason();
  };
  const Program p = chain_of_steps(clamped, 3), ringed = stepped(p, "rings");
  CHECK(why_not(p).find("keep the stages in rings first") != std::string::npos);
  CHECK(why_not(in_step(ringed, {{{0, 1}}})) ==
        "the chain goes in step already: use this rule before in-step");
  CHECK(why_not(stepped(ringed, "in-tiles", {"0", "3"})) == "the chain goes in tiles along axis 0 already");
  CHECK(why_not(in_one_loop(problem(2, "ghost", "gsrb"))).find("which other tiles still read") !=
        std::string::npos);
  const auto wrapped = [](const Expr& x) {
    return x | pad2(1, 1, wrap) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1]; });
  };
  CHECK(why_not(stepped(chain_of_steps(wrapped, 2), "rings")).find("wraps around") != std::string::npos);
}

TEST_CASE("in step: stages on other grids go in step with those that they read") {
  const Expr x = param("x", array({Nat(17), Nat(13)}, f64));
  const auto fine = [](const Expr& y) {
    return y | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; });
  };
  const auto coarse = [](const Expr& y) {
    return y | slide2(3, 2) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Program p{"cycle",
                  {x},
                  let(fine(x),
                      [&](Expr a) {
                        return let(fine(a),
                                   [&](Expr b) { return let(coarse(b), [&](Expr c) { return fine(c); }); });
                      }),
                  {},
                  {}};
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const int width : {1, 2, 3, 4}) {
    CAPTURE(width);
    const Program q = in_step(stepped(p, "rings"), {{{0, width}}});
    CHECK(run_loops(test::run(q), 1).results == expected.results);
    const std::vector<std::int64_t> lags = lags_of(q);
    for (std::size_t i = 1; i < lags.size(); ++i) {
      auto fewer = lags;
      for (std::size_t j = i; j < lags.size(); ++j) --fewer[j];
      CHECK_THROWS_AS(lower(with_lags(q, fewer)), UserError);
    }
  }
}

/// Two half-sweeps in place, then what they leave over on a grid of twice the spacing: the finished array and
/// the coarse one are results.
Program leg_of_a_cycle(bool keep) {
  const Expr v = param("v", array({Nat(17), Nat(13)}, f64)), b = param("b", array({Nat(17), Nat(13)}, f64));
  const auto sweep = [&](const Expr& x, int colour) {
    const auto relaxed = [=](Expr at, Expr w, Expr f) {
      return select(eq((get(0, at) + get(1, at)) % 2, colour),
                    (w[0][1] + w[1][0] + w[1][2] + w[2][1] - f) * 0.25, w[1][1]);
    };
    const Expr cells = zip_n(2, {positions({Nat(15), Nat(11)}), x | slide2(3, 1), b | drop2(1, 1)});
    return update(x, {1, 1}, cells | map2(relaxed));
  };
  const auto residual = [&](const Expr& x) {
    const Expr r = zip_n(2, {x | slide2(3, 1), b | drop2(1, 1)}) | map2([](Expr w, Expr f) {
                     return f - (w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 4.0);
                   });
    return r;
  };
  const auto coarse = [](const Expr& r) {
    return r | slide2(3, 2) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Expr body = let(sweep(v, 0), [&](Expr x) {
    return let(sweep(x, 1), [&](Expr y) {
      return let(residual(y), [&](Expr r) {
        return keep ? tuple({y, r, coarse(r)}) : tuple({y, coarse(r)});
      });
    });
  });
  return {"leg",
          {v, b},
          body,
          {"v"},
          keep ? std::vector<std::string>{"y", "r", "c"} : std::vector<std::string>{"y", "c"}};
}

TEST_CASE("in step: half-sweeps in place, what they leave over, and its restriction, with several results") {
  for (const bool keep : {false, true}) {
    Program p = leg_of_a_cycle(keep);
    const LoopsRun plain = run_loops(lower(p), 1);
    const Place second{1, 0, 0};
    p.body = replaced_at(p.body, {0},
                         make(Op::UpdateInPlace, {part_at(p.body, {0, 0}), part_at(p.body, {0, 1})},
                              part_at(p.body, {0}).attr()));
    p.body =
        replaced_at(p.body, second,
                    make(Op::UpdateInPlace, {part_at(p.body, {1, 0, 0, 0}), part_at(p.body, {1, 0, 0, 1})},
                         part_at(p.body, second).attr()));
    const Program ringed = keep ? p : stepped(p, "rings");
    for (const int width : {1, 2, 3, 5, 30}) {
      CAPTURE(keep);
      CAPTURE(width);
      const Program q = in_step(ringed, {{{0, width}}});
      const LoopsRun found = run_loops(test::run(q), 1);
      CHECK(found.results == plain.results);
      CHECK(lags_of(q).size() == 4);
      CHECK_THROWS_WITH_AS(lower(with_lags(q, {0, 1, 1, 3})), doctest::Contains("has to stay"), UserError);
    }
    const auto r = apply(find_rule("in-tiles"), ringed, {}, {"0", "4"});
    CHECK_FALSE(r);
    CHECK(r.reason().find("which other tiles still read") != std::string::npos);
  }
}

TEST_CASE("in step: chains of different stages are explored, threads share what they may") {
  const Expr x = param("x", array({Nat(40), Nat(19)}, f64));
  const auto heat = [](const Expr& y) {
    return update(y, {1, 1}, y | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; }));
  };
  const auto coarse = [](const Expr& y) {
    return y | slide2(3, 1) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Program apart{"apart",
                      {x},
                      let(heat(x), [&](Expr a) { return let(heat(a), [&](Expr b) { return coarse(b); }); }),
                      {},
                      {}};
  const Expr several = param("x", array({Nat(3), Nat(14), Nat(11)}, f64));
  const Program boxes{"boxes",
                      {several},
                      several | map([&](Expr box) {
                        return let(heat(box),
                                   [&](Expr a) { return let(heat(a), [&](Expr b) { return coarse(b); }); });
                      }),
                      {},
                      {}};
  const auto blurred = [](const Expr& y) {
    return y | pad2(1, 1, clamp) | slide2(3, 1) |
           map2([](Expr w) { return w[0][1] + w[2][1] * 2.0 + w[1][0]; });
  };
  const Program stored{
      "stored", {x}, let(blurred(x), blurred), {}, {}};  // or computed again where it is read
  for (const Program& p : {leg_of_a_cycle(false), leg_of_a_cycle(true), apart, boxes, stored}) {
    CAPTURE(p.name);
    const LoopsRun expected = run_loops(lower(p), 1);
    const Space space(p, {Target::openmp, 2, 32});
    std::set<std::string> structures;
    int in_step = 0, together = 0;
    for (const Configuration& c : space.seeds()) {
      const std::string words = space.structure(c);
      if (!structures.insert(words + (c.contains("time") ? c.at("time") : "")).second) continue;
      CAPTURE(words);
      in_step += c.contains("time") && c.at("time") != "none";
      const Kernel k = lower(replay(space.program(), space.derive(c)), {.vector_bytes = 32});
      together += teams(for_target(k, Target::openmp).body) > 0;
      const LoopsRun found = run_loops(k, 1);
      CHECK(found.results == expected.results);
      if (c.at("inner") != "vec") CHECK(found.races.empty());  // masked vectors write old values back
    }
    CHECK(in_step >= 2);
    CHECK((together > 0) == (p.name == "leg"));
  }
}

TEST_CASE("in step: where rings cannot be says why") {
  const auto clamped = [&](const Expr& x) {
    return x | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1]; });
  };
  const Program p{"p", {u}, let(clamped(u), clamped), {}, {}};
  const Program ringed = stepped(p, "rings");
  CHECK_THROWS_WITH_AS(lower(ringed), doctest::Contains("put in_step along axis 0 around"), UserError);
  CHECK(refusal(ringed, 1).find("along axis 0") != std::string::npos);
  CHECK(refusal(in_step(ringed, {{{0, 1}}}), 1).find("no other") != std::string::npos);
  const auto why_not = [](const Program& q) {
    const auto r = apply(find_rule("rings"), q, {}, {});
    return r ? "" : r.reason();
  };
  CHECK(why_not(in_step(ringed, {{{0, 1}}})) ==
        "the chain goes in step already: use this rule before in-step");
  CHECK(why_not({"p", {u}, clamped(u), {}, {}}).find("there is no chain") != std::string::npos);
  CHECK(why_not(in_one_loop(problem(2, "ghost", "gsrb"))).find("updated in place") != std::string::npos);
  CHECK_THROWS_WITH_AS(lower({"p", {u}, make(Op::Ring, {clamped(u)}, attributes::nats({9})), {}, {}}),
                       doctest::Contains("only a named stage"), UserError);
}

TEST_CASE("in step: a user's chain is explored, with threads on what a stage does in a step") {
  const Expr x = param("x", array({Nat(40), Nat(21)}, f64));
  const auto step = [](const Expr& y) {
    return update(y, {1, 1}, y | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1] - w[1][0]; }));
  };
  const Program p{
      "heat",
      {x},
      let(step(x), [&](Expr a) { return let(step(a), [&](Expr b) { return let(step(b), step); }); }),
      {},
      {}};
  const Space space(p, {Target::openmp, 2, 32});
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const char* time : {"j", "j8", "j32"})
    for (const char* inner : {"seq", "vec"})
      for (const std::string& parallel : space.allowed_texts({{"time", time}}, "parallel")) {
        CAPTURE(time);
        CAPTURE(inner);
        CAPTURE(parallel);
        Configuration c;
        c.set("time", time), c.set("parallel", parallel), c.set("inner", inner);
        const LoopsRun found =
            run_loops(lower(replay(space.program(), space.derived(c).steps), {.vector_bytes = 32}), 1);
        CHECK(found.results == expected.results);
        CHECK(found.races.empty());
      }
}

/// What each stage computes is shared by threads.
Program shared(Program p) {
  const std::function<Expr(const Expr&)> changed = [&](const Expr& e) {
    if (!e.is(Op::UpdateInPlace)) return map_children(e, changed);
    const Expr& cells = e.child(1);
    return make(e.op(), {e.child(0), make(Op::MapPar, {cells.child(0), cells.child(1)}, cells.attr())},
                e.attr());
  };
  p.body = changed(p.body);
  return p;
}

TEST_CASE("in step: where each stage is a step further behind, the stages of a step are independent") {
  const auto coloured_twice = [](const Expr& x) {
    return let(coloured(x, 0, 0), [](Expr a) {
      return let(coloured(a, 1, 1),
                 [](Expr b) { return let(coloured(b, 0, 1), [](Expr c) { return coloured(c, 1, 0); }); });
    });
  };
  const Expr any = param("u", array({Nat(31), Nat(9)}, f64));
  const Program p = shared(stepped({"four", {any}, coloured_twice(any), {"u"}, {}}, "update-in-place"));
  for (const int width : {2, 3, 7, 40}) {
    CAPTURE(width);
    const Program near = in_step(p, {{{0, width}}}), far = stepped(near, "wait-once");
    CHECK(lags_of(near) == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(lags_of(far) == std::vector<std::int64_t>{0, 1 + width, 2 + 2 * width, 3 + 3 * width});
    check_same(p, far);
    const Kernel k = for_target(lower(far), Target::openmp);
    CHECK(test::count<Barrier>(k.body) == 1);
    CHECK(teams(k.body) == 1);
    CHECK(run_loops(k, 1).results == run_loops(lower(p), 1).results);
    // Smaller lags are refused; behind the check's back the stages of a step are seen to meet.
    auto fewer = lags_of(far);
    for (std::size_t i = 1; i < fewer.size(); ++i) --fewer[i];
    Program wrong = with_lags(far, fewer);
    CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("so that no two stages of a step meet"), UserError);
    CHECK_FALSE(run_loops(translate(wrong), 1).races.empty());
  }
  const auto refused = [](const Program& q) {
    const auto r = apply(find_rule("wait-once"), q, {}, {});
    return r ? "" : r.reason();
  };
  CHECK(refused(p) == "no chain goes in step");
  CHECK(refused(stepped(in_step(p, {{{0, 2}}}), "wait-once")) == "the threads wait once a step already");
  CHECK_THROWS_WITH_AS(lower(in_step(stepped(in_step(p, {{{0, 2}}}), "wait-once"), {{{1, 2}}})),
                       doctest::Contains("use it for the innermost"), UserError);
}

TEST_CASE("in step: what threads do not share is not done by each of them") {
  const Program p =
      stepped({"two", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {"u"}, {}},
              "update-in-place");
  const Kernel k = for_target(lower(stepped(in_step(p, {{{0, 3}}}), "wait-once")), Target::openmp);
  CHECK(test::count<Barrier>(k.body) == 0);
  CHECK(teams(k.body) == 0);
}

TEST_CASE("in step: lags are the least, and smaller ones are refused with the dependence that they break") {
  const Program p = in_one_loop(problem(3, "ghost", "gsrb"));
  const Program q = in_step(p, {{{0, 1}}});
  const std::vector<std::int64_t> lags = lags_of(q);
  CHECK(lags == std::vector<std::int64_t>{0, 2, 4});  // a plane behind, in regions that begin a plane later
  const LoopsRun expected = run_loops(lower(p), 1);
  for (std::size_t i = 1; i < lags.size(); ++i) {
    auto fewer = lags;
    for (std::size_t j = i; j < lags.size(); ++j) --fewer[j];
    const Program wrong = with_lags(q, fewer);
    CHECK_THROWS_WITH_AS(lower(wrong), doctest::Contains("has to stay 2 behind"), UserError);
    const LoopsRun found = run_loops(translate(wrong), 1);  // behind the check's back
    CHECK(found.results != expected.results);
  }
  auto more = lags;
  more[2] += 3;
  check_same(p, with_lags(q, more));
}

TEST_CASE("in step: what cannot be says why") {
  Problem periodic = problem(2, "periodic", "gsrb");
  periodic.box = 6;
  CHECK(refusal(in_one_loop(periodic), 0).find("wraps around a periodic boundary") != std::string::npos);
  const Program p = in_one_loop(problem(2, "ghost", "gsrb"));
  CHECK(refusal(in_step(p, {{{0, 1}}}), 0) == "the chain goes in step along axis 0 already");
  CHECK(refusal(p, 3).find("there is no axis 3") != std::string::npos);
  CHECK(refusal(smooth3d().build(problem(2, "ghost", "gsrb")), 0).empty());  // along the boxes
  const Program alone = stepped(smooth3d().build(problem(1, "ghost", "gsrb")), "update-in-place");
  CHECK(refusal(alone, 0) == "there is no chain: the program has one stage");
  const Program needed{
      "needed", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {}, {}};
  CHECK(refusal(needed, 0).empty());  // u is copied before the steps
  CHECK_THROWS_WITH_AS(make(Op::InStep, {p.body}, attributes::steps(0, 1, {0, 1})),
                       doctest::Contains("needs a chain"), UserError);
  const Program four =
      stepped({"two", {u}, let(coloured(u, 0, 0), [](Expr x) { return coloured(x, 1, 1); }), {"u"}, {}},
              "update-in-place");
  CHECK_THROWS_WITH_AS(make(Op::InStep, {four.body}, attributes::steps(0, 1, {0, 1, 2})),
                       doctest::Contains("3 numbers for 2 stages"), UserError);
  CHECK_THROWS_WITH_AS(make(Op::InStep, {four.body}, attributes::steps(0, 0, {0, 1})),
                       doctest::Contains("no iterations"), UserError);
  CHECK_THROWS_WITH_AS(make(Op::InStep, {four.body}, attributes::steps(2, 1, {0, 1})),
                       doctest::Contains("no axis 2"), UserError);
}

TEST_CASE("in step: explored, every setting of the time gives the same numbers") {
  for (const std::int64_t boxes : {1, 3}) {
    Problem three = problem(3, "ghost", "gsrb", boxes);
    three.box = 9;
    const Program p = smooth3d().build(three);
    const Space space(p, {Target::openmp, 2, 32});
    const LoopsRun expected = run_loops(lower(stepped(p, "update-in-place")), 1);
    std::set<std::string> times;
    for (const Configuration& c : space.seeds())
      if (const std::string time = c.at("time"); time != "none" && times.size() < 12) {
        CAPTURE(space.structure(c));
        times.insert(time + " " + c.at("inner") + " " + c.at("layout"));
        const Program q = replay(space.program(), space.derive(c));
        const LoopsRun found = run_loops(lower(q, {.vector_bytes = 32}), 1);
        CHECK(found.results == expected.results);
        // A masked vector writes the other colour's old values back, which rows beside it read.
        if (c.at("inner") != "vec") CHECK(found.races.empty());
      }
    CHECK(times.size() >= 3);
  }
}

TEST_CASE("in step: rows of a plane on threads, where there is one box") {
  const Program p = smooth3d().build(problem(3, "ghost", "gsrb", 1));
  const Space space(p, {Target::openmp, 2, 32});
  Configuration c;
  c.set("time", "k"), c.set("parallel", "j");
  const LoopsRun expected = run_loops(lower(stepped(p, "update-in-place")), 1),
                 found = run_loops(lower(replay(space.program(), space.derived(c).steps)), 1);
  CHECK(found.results == expected.results);
  CHECK(found.races.empty());
}

}  // namespace lift::in_step_test
