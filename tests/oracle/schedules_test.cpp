// Every schedule of chains, by isl: each load gets the value that it gets when the stages run one after the
// other, and iterations of parallel loops do not meet. Schedules that are wrong are found, with an example.
#include <doctest/doctest.h>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/translate.hpp"
#include "patterns/operators.hpp"
#include "rewrite/rules/rules.hpp"
#include "tests/bands.hpp"
#include "tests/groups_in_step.hpp"
#include "tests/oracle/polyhedral.hpp"

namespace lift::schedules_test {
namespace {

Program by(const Program& p, const std::string& rule, const Arguments& a = {}, const Place& at = {}) {
  const auto r = apply(find_rule(rule), p, at, a);
  INFO(rule << ": " << (r ? "" : r.reason()));
  REQUIRE(r);
  return *r;
}
struct Step {
  int axis, width;
};
Program in_step(Program p, const std::vector<Step>& steps) {
  for (const Step& s : steps) p = by(p, "in-step", {std::to_string(s.axis), std::to_string(s.width)});
  return p;
}
Program in_tiles(const Program& p, int width) { return by(p, "in-tiles", {"0", std::to_string(width)}); }
Program in_phases(const Program& p, int axis, int width) {
  return by(p, "in-phases", {std::to_string(axis), std::to_string(width)});
}

/// p with f of each of its expressions, inner ones first.
Program changed(Program p, const std::function<Expr(const Expr&)>& f) {
  const std::function<Expr(const Expr&)> all = [&](const Expr& e) { return f(map_children(e, all)); };
  p.body = all(p.body);
  return p;
}
/// The stages one after the other, each in an array of its own unless it is in place.
Program one_after_the_other(const Program& p) {
  return changed(p, [](const Expr& e) {
    if (e.is(Op::Band)) return e.child(0);
    return e.is(Op::Ring) ? make(Op::ToGlobal, {e.child(0)}) : e;
  });
}
/// Arrays of whole stages: in tiles, whose rings hold a part of a plane, no rings.
Program with_whole_rings(const Program& p) {
  const bool tiles = contains(p.body, [](const Expr& e) { return is_band(e, Band::overlapped); });
  return changed(p, [&](const Expr& e) {
    if (!e.is(Op::Ring)) return e;
    return tiles ? make(Op::ToGlobal, {e.child(0)})
                 : make(e.op(), {e.child(0)}, attributes::nats({shape_of(e.type())[0]}));
  });
}

/// What isl finds wrong with a schedule; not checked by liftgen itself.
std::string wrong_with(const Program& scheduled, const Program& original, std::size_t rank = 100) {
  isl::ctx ctx(isl_ctx_alloc());
  std::string found;
  {
    const Kernel expected = translate(one_after_the_other(original));
    found =
        oracle::difference(oracle::flow_of(ctx, expected, expected, rank),
                           oracle::flow_of(ctx, translate(scheduled), translate(with_whole_rings(scheduled)),
                                           rank, oracle::stages_in(expected)));
  }
  isl_ctx_free(ctx.get());
  return found;
}
std::string wrong_with(const Program& scheduled) { return wrong_with(scheduled, scheduled); }

// ---- programs

Program sweeps_over_boxes(const std::string& name, int sweeps, const std::string& boundary, int boxes) {
  Problem problem;
  problem.box = 5, problem.boxes = boxes, problem.ghost = boundary == "ghost" ? sweeps : 1,
  problem.sweeps = sweeps;
  problem.boundary = boundary, problem.choices = {{"smoother", name}};
  return smooth3d().build(problem);
}
/// In place, one loop over boxes.
Program smoother(const std::string& name, int sweeps, const std::string& boundary = "ghost") {
  Program p = by(sweeps_over_boxes(name, sweeps, boundary, 2), "update-in-place");
  for (int t = sweeps - 2; t >= 0; --t) {
    Place at;
    for (int i = 0; i < t; ++i) at.insert(at.end(), {1, 0});
    p = by(p, "let-of-maps", {}, at);
  }
  return p;
}
Program chain(const Expr& x, const std::vector<std::function<Expr(Expr)>>& steps) {
  const std::function<Expr(const Expr&, std::size_t)> more = [&](const Expr& y, std::size_t n) -> Expr {
    if (n + 1 == steps.size()) return steps[n](y);
    return let(steps[n](y), [&, n](Expr z) { return more(z, n + 1); });
  };
  return {"chain", {x}, more(x, 0), {}, {}};
}
Program chain(const Expr& x, const std::function<Expr(Expr)>& step, int stages) {
  return chain(x, std::vector<std::function<Expr(Expr)>>(static_cast<std::size_t>(stages), step));
}
Expr five(const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; }
/// A step of the heat equation inside a border; with the border's values repeated; every other point.
Expr heat(const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(five)); }
Expr clamped(const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(five); }
Expr coarse(const Expr& x) { return x | slide2(3, 2) | map2(five); }
/// Two by two elements for each one inside the border.
Expr fine(const Expr& x) {
  return join_n(2, x | slide2(3, 1) | map2([](Expr w) {
                     return w | slide2(2, 1) | map2([](Expr c) { return c[0][0] + c[1][1] * 2.0; });
                   }));
}
Expr sums_of_rows(const Expr& x) {
  return x | map([](Expr r) { return r | reduce([](Expr a, Expr b) { return a + b; }, literal(0, f64)); });
}
Expr row(const Expr& x) {
  return x | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] + w[1] - w[2]; });
}
const Expr u = param("u", array({Nat(9), Nat(7)}, f64)), wide = param("x", array({Nat(17), Nat(9)}, f64));

// ---- schedules with something wrong

/// The stages from `stage` on so much further behind along an axis.
Program with_other_lags(const Program& p, std::size_t stage, std::size_t axis, std::int64_t by) {
  return test::with_bands(p, [&](Band& b) {
    for (std::size_t i = stage; i < b.shifts.size(); ++i)
      if (b.shape == Band::skewed && b.axis == axis) b.shifts[i] += by;
  });
}
/// The stages from `stage` on a plane less behind along an axis.
Program with_smaller_lags(const Program& p, std::size_t stage, std::size_t axis) {
  return with_other_lags(p, stage, axis, -1);
}
Program with_smaller_rings(const Program& p) {
  return changed(p, [](const Expr& e) {
    return e.is(Op::Ring) ? make(e.op(), {e.child(0)}, attributes::nats({ring_planes(e) - 1})) : e;
  });
}
Program with_smaller_margin(const Program& p) {
  return test::with_bands(p, [](Band& b) { b.shifts[0] -= b.shape == Band::overlapped; });
}
/// Tiles that leave a plane less of the stages from `stage` on, or are narrower.
Program with_other_phases(const Program& p, std::size_t stage, std::int64_t narrower) {
  return test::with_bands(p, [&](Band& b) {
    if (b.shape != Band::phases) return;
    for (std::size_t i = stage; i < b.shifts.size(); ++i) --b.shifts[i];
    b.width -= narrower;
  });
}
Program with_parallel_updates(const Program& p) {
  return changed(p, [](const Expr& e) {
    if (!is_update(e.op()) || !e.child(1).is(Op::Map)) return e;
    const Expr& cells = e.child(1);
    return make(e.op(), {e.child(0), make(Op::MapPar, {cells.child(0), cells.child(1)}, cells.attr())},
                e.attr());
  });
}

const std::vector<std::vector<Step>> kSteps{{{0, 1}}, {{0, 2}}, {{0, 3}}, {{1, 1}}, {{1, 2}, {0, 1}}};

std::string text_of(const std::vector<Step>& steps) {
  std::string t;
  for (const Step& s : steps) t += " " + std::to_string(s.axis) + ":" + std::to_string(s.width);
  return t;
}
void check(const std::string& name, const Program& p) {
  for (const std::vector<Step>& steps : kSteps) {
    CAPTURE(name);
    CAPTURE(text_of(steps));
    CHECK(wrong_with(in_step(p, steps)) == "");
  }
}

/// What is wrong is found, and shown by an example.
void check_found(const Program& scheduled, const std::string& what) {
  const std::string message = wrong_with(scheduled);
  CAPTURE(message);
  CHECK(message.find(what) != std::string::npos);
  if (what == "gets") CHECK(message.find(" instead of ") != std::string::npos);
}

}  // namespace

TEST_CASE("isl: half-sweeps in place and sweeps of two arrays, in step and in skewed tiles") {
  check("red-black", smoother("gsrb", 2));
  check("jacobi", smoother("jacobi", 2));
  CHECK(wrong_with(in_step(smoother("gsrb", 3), {{0, 2}})) == "");
  CHECK(wrong_with(in_step(smoother("gsrb", 2, "neumann"), {{1, 2}, {0, 1}})) == "");
}

TEST_CASE("isl: a user's steps, in arrays of their own, in two that take turns, and in rings") {
  check("arrays", chain(u, clamped, 3));
  for (const auto& step : {heat, clamped}) {
    const Program p = chain(u, step, 4), two = by(p, "two-arrays"), rings = by(p, "rings");
    for (const std::vector<Step>& steps : kSteps) {
      CAPTURE(text_of(steps));
      CHECK(wrong_with(in_step(two, steps), rings) == "");
      if (steps.size() == 1 && steps[0].axis == 0) CHECK(wrong_with(in_step(rings, steps)) == "");
    }
  }
  const Program rows = chain(param("x", array({Nat(13)}, f64)), row, 4);
  for (const int width : {1, 2, 3, 20}) CHECK(wrong_with(in_step(by(rows, "rings"), {{0, width}})) == "");
}

TEST_CASE("isl: grids of two spacings") {
  const Program rings = by(chain(wide, {clamped, clamped, coarse, clamped}), "rings");
  const Program ending = by(chain(wide, {clamped, coarse}), "rings");
  for (const int width : {1, 2, 3}) {
    CAPTURE(width);
    CHECK(wrong_with(in_step(rings, {{0, width}})) == "");
    CHECK(wrong_with(in_tiles(ending, width)) == "");
    CHECK(wrong_with(in_step(in_tiles(ending, 3), {{0, width}})) == "");
  }
}

TEST_CASE("isl: fine planes two at a time, a row's sum for each of them") {
  const Program p = chain(u, {fine, clamped, clamped}), rings = by(p, "rings");
  const Program rows = chain(u, {clamped, clamped, sums_of_rows});
  for (const std::vector<Step>& steps : {std::vector<Step>{{0, 1}}, {{0, 2}}, {{0, 3}}}) {
    CAPTURE(text_of(steps));
    CHECK(wrong_with(in_step(p, steps)) == "");
    CHECK(wrong_with(in_step(rings, steps)) == "");
    CHECK(wrong_with(in_step(rows, steps)) == "");
    CHECK(wrong_with(in_step(by(rows, "rings"), steps)) == "");
  }
  CHECK(wrong_with(in_step(p, {{1, 2}, {0, 1}})) == "");
  for (const Program& right : {in_step(p, {{0, 1}}), in_step(rows, {{0, 1}})})
    for (const std::size_t stage : {1U, 2U}) check_found(with_smaller_lags(right, stage, 0), "gets");
  check_found(with_smaller_rings(in_step(rings, {{0, 1}})), "gets");
}

TEST_CASE("isl: overlapped tiles in parallel") {
  for (const auto& step : {heat, clamped}) {
    const Program rings = by(chain(u, step, 3), "rings");
    for (const int tile : {1, 4, 20}) {
      CAPTURE(tile);
      CHECK(wrong_with(in_tiles(rings, tile)) == "");
      CHECK(wrong_with(in_step(in_tiles(rings, tile), {{0, tile == 4 ? 2 : 1}})) == "");
    }
  }
}

TEST_CASE("isl: teams that wait once a step") {
  for (const int width : {1, 2, 3}) {
    CAPTURE(width);
    const Program p = chain(u, heat, 4);
    const Program two = in_step(with_parallel_updates(by(p, "two-arrays")), {{0, width}});
    CHECK(wrong_with(by(two, "wait-once"), by(p, "rings")) == "");
    CHECK(wrong_with(by(in_step(with_parallel_updates(by(p, "rings")), {{0, width}}), "wait-once")) == "");
  }
}

TEST_CASE("isl: tiles that threads take in turns") {
  for (const std::vector<Step>& steps :
       {std::vector<Step>{{1, 2}, {0, 1}}, {{1, 1}, {0, 2}}, {{0, 2}, {1, 1}}}) {
    CAPTURE(text_of(steps));
    CHECK(wrong_with(by(in_step(smoother("gsrb", 2, "neumann"), steps), "doacross")) == "");
    const Program p = chain(u, heat, 4);
    CHECK(wrong_with(by(in_step(by(p, "two-arrays"), steps), "doacross"), by(p, "rings")) == "");
  }
  const Program turns = by(in_step(smoother("gsrb", 2), {{1, 1}, {0, 1}}), "doacross");
  for (const int axis : {0, 1}) CHECK_FALSE(wrong_with(with_smaller_lags(turns, 1, axis)) == "");
  // What the tile before has done in a later step is there one tile after the other, but not in turns.
  const Program behind =
      with_other_lags(with_other_lags(in_step(smoother("gsrb", 2), {{1, 1}, {0, 1}}), 1, 1, 3), 1, 0, -1);
  CHECK(wrong_with(behind) == "");
  const Program early = test::with_bands(behind, [](Band& b) {
    if (b.axis == 1) b.run = Band::turns;
  });
  check_found(early, "both touch");
}

TEST_CASE("isl: tiles in two phases") {
  for (const auto& step : {heat, clamped}) {
    const Program p = chain(u, step, 3), two = by(p, "two-arrays"), rings = by(p, "rings");
    for (const int axis : {0, 1})
      for (const int width : {4, 5}) {
        CAPTURE(axis);
        CAPTURE(width);
        CHECK(wrong_with(in_phases(two, axis, width), rings) == "");
        CHECK(wrong_with(in_step(in_phases(two, axis, width), {{1 - axis, 1}}), rings) == "");
      }
    const Program phases = in_phases(two, 0, 4);
    for (const Program& wrong :
         {with_other_phases(phases, 1, 0), with_other_phases(phases, 2, 0), with_other_phases(phases, 3, 1)})
      CHECK_FALSE(wrong_with(wrong, rings) == "");
  }
  const Program rows = chain(param("x", array({Nat(23)}, f64)), row, 4);
  CHECK(wrong_with(in_phases(by(rows, "two-arrays"), 0, 6), by(rows, "rings")) == "");
  CHECK(wrong_with(in_phases(rows, 0, 7), by(rows, "rings")) == "");  // arrays of their own
  const Program red_black = smoother("gsrb", 2, "neumann");
  for (const int axis : {0, 1}) {
    CHECK(wrong_with(in_phases(red_black, axis, 2)) == "");
    CHECK(wrong_with(in_step(in_phases(red_black, axis, 2), {{1 - axis, 1}})) == "");
    CHECK_FALSE(wrong_with(with_other_phases(in_phases(red_black, axis, 2), 1, 0)) == "");
  }
}

TEST_CASE("isl: unlike stages in tiles that threads take in turns") {
  const Expr v = param("v", array({Nat(8), Nat(6)}, f64)), e = param("e", array({Nat(4), Nat(3)}, f64));
  const auto half = [](const Expr& x, int colour) {
    return update(x, {0, 0},
                  zip_n(2, {positions({Nat(8), Nat(6)}), x | pad2(1, 1, clamp) | slide2(3, 1)}) |
                      map2([=](Expr at, Expr w) {
                        return select(eq((get(0, at) + get(1, at)) % 2, colour),
                                      w[0][1] + w[1][0] + w[1][2] + w[2][1], w[1][1]);
                      }));
  };
  const auto corrected =
      update(v, {0, 0},
             join_n(2, zip_n(2, {e | pad2(1, 1, clamp) | slide2(3, 1), split({Nat(2), Nat(2)}, v)}) |
                           map2([](Expr w, Expr block) {
                             return block | map2([=](Expr x) { return x + w[0][1] + w[1][1]; });
                           })));
  const auto left = [](const Expr& x) {
    return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(five) | slide2(2, 2) |
           map2([](Expr w) { return w[0][0] + w[0][1] + w[1][0] + w[1][1]; });
  };
  const Program p = by({"leg",
                        {v, e},
                        let(corrected,
                            [&](Expr x) {
                              return let(half(x, 0), [&](Expr y) {
                                return let(half(y, 1), [&](Expr z) { return tuple({z, left(z)}); });
                              });
                            }),
                        {"v"},
                        {}},
                       "overwrite-bases");
  for (const std::vector<Step>& steps :
       {std::vector<Step>{{1, 2}, {0, 1}}, {{1, 3}, {0, 1}}, {{1, 1}, {0, 2}}, {{0, 2}, {1, 1}}}) {
    CAPTURE(text_of(steps));
    const Program turns = by(in_step(p, steps), "doacross");
    CHECK(wrong_with(turns, p) == "");
  }
  const Program turns = by(in_step(p, {{1, 1}, {0, 1}}), "doacross");
  for (const std::size_t stage : {1U, 2U, 3U})
    for (const int axis : {0, 1}) CHECK_FALSE(wrong_with(with_smaller_lags(turns, stage, axis), p) == "");
}

TEST_CASE("isl: tiles of work-groups, whose items wait after each stage or once a step") {
  for (const std::string boundary : {"ghost", "neumann"})
    for (const bool once : {false, true}) {
      CAPTURE(boundary);
      CAPTURE(once);
      const Program p = sweeps_over_boxes("gsrb", 2, boundary, 1), stages = by(by(p, "let-of-maps"), "rings");
      const Program groups = test::in_groups(p, 2, {{3, 2}, {2, 3}, once});
      CHECK(wrong_with(groups, stages, 3) == "");
      const std::string early = wrong_with(with_smaller_lags(groups, 1, 0), stages, 3);
      CAPTURE(early);
      CHECK(early.find(once ? "both touch" : " instead of ") != std::string::npos);
      const std::string narrow = wrong_with(with_smaller_margin(groups), stages, 3);
      CAPTURE(narrow);
      CHECK(narrow.find("gets") != std::string::npos);
    }
}

TEST_CASE("isl: lags of a plane less are found") {
  const Program red_black = in_step(smoother("gsrb", 3), {{0, 1}});
  for (const std::size_t stage : {1U, 2U}) check_found(with_smaller_lags(red_black, stage, 0), "gets");
  const Program skewed = in_step(smoother("gsrb", 2), {{1, 2}, {0, 1}});
  for (const int axis : {0, 1}) check_found(with_smaller_lags(skewed, 1, axis), "gets");
  const Program arrays = in_step(chain(u, clamped, 3), {{0, 1}});
  for (const std::size_t stage : {1U, 2U}) check_found(with_smaller_lags(arrays, stage, 0), "gets");
  const Program spacings = in_step(by(chain(wide, {clamped, coarse, clamped}), "rings"), {{0, 1}});
  for (const std::size_t stage : {1U, 2U}) check_found(with_smaller_lags(spacings, stage, 0), "gets");
}

TEST_CASE("isl: rings of a plane less are found") {
  for (const auto& step : {heat, clamped})
    for (const int width : {1, 2})
      check_found(with_smaller_rings(in_step(by(chain(u, step, 3), "rings"), {{0, width}})), "gets");
}

TEST_CASE("isl: margins of a plane less are found") {
  for (const auto& step : {heat, clamped}) {
    const Program tiled = in_tiles(by(chain(u, step, 3), "rings"), 4);
    check_found(with_smaller_margin(tiled), "gets");
    check_found(with_smaller_margin(in_step(tiled, {{0, 1}})), "gets");
  }
}

TEST_CASE("isl: iterations that are said to be parallel and are not are found") {
  // Stages of a step that meet: of a team that waits only where the step ends.
  const Program two = with_parallel_updates(by(chain(u, heat, 4), "two-arrays"));
  const Program team = by(in_step(two, {{0, 2}}), "wait-once");
  check_found(with_smaller_lags(team, 1, 0), "both touch");
  // A slot that is written anew in the step in which it is still read.
  const Program rings = with_parallel_updates(by(chain(u, heat, 4), "rings"));
  const Program waits = by(in_step(rings, {{0, 2}}), "wait-once");
  check_found(with_smaller_rings(waits), "gets");
  check_found(with_smaller_lags(waits, 1, 0), "both touch");
  // A row that is replaced in place while its neighbours still read it.
  const Program rows =
      with_parallel_updates({"rows",
                             {u},
                             make(Op::UpdateInPlace, {heat(u).child(0), heat(u).child(1)}, heat(u).attr()),
                             {"u"},
                             {}});
  check_found(rows, "both touch u");
}

}  // namespace lift::schedules_test
