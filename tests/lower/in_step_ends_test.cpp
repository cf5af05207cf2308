// What comes before and after half-sweeps in one pass: a coarse grid's correction, a first sweep from zero,
// the norm of what is left over.
#include "patterns/box_problem.hpp"
#include "rewrite/analysis/stage_graph.hpp"
#include "tests/lower/in_step_chains.hpp"

namespace lift::in_step_test {
namespace {

Problem leg(const char* sweeps, const std::string& boundary, std::int64_t box, std::int64_t boxes) {
  Problem p;
  p.box = box, p.boxes = boxes, p.ghost = boundary == "ghost" ? std::stoi(sweeps) + 2 : 1;
  p.boundary = boundary, p.choices = {{"half-sweeps", sweeps}};
  return p;
}
const std::vector<std::string> kSweeps{"1", "2", "3"};

/// In step, in place; the same numbers as stage after stage, under two seeds, whose colours differ.
void check_in_step(const Program& p, const Schedule& s) {
  CAPTURE(text_of(s));
  const Program q = in_step(stepped(p, "overwrite-bases"), s);
  for (const unsigned seed : {1U, 2U}) {
    const LoopsRun found = run_loops(lower(q), seed);
    CHECK(found.results == run_loops(lower(p), seed).results);
    CHECK(found.races.empty());
  }
}

/// Fewer lags of any stage and those after it are refused.
void check_least_lags(const Program& q) {
  const std::vector<std::int64_t> lags = lags_of(q);
  for (std::size_t i = 1; i < lags.size(); ++i) {
    auto fewer = lags;
    for (std::size_t j = i; j < lags.size(); ++j) --fewer[j];
    CAPTURE(i);
    CHECK_THROWS_WITH_AS(lower(with_lags(q, fewer)), doctest::Contains("has to stay"), UserError);
  }
}

const Expr coarse_cells = param("c", array({Nat(8), Nat(7)}, f64));

/// Two by two fine cells of each inner coarse one.
Expr children(const Expr& coarse) {
  return join_n(2, coarse | slide2(3, 1) | map2([](Expr w) {
                     return w | slide2(2, 1) | map2([](Expr c) { return c[0][1] + c[1][0] * 0.5 - c[1][1]; });
                   }));
}
Expr smoothed(const Expr& x) {
  return x | pad2(1, 1, clamp) | slide2(3, 1) |
         map2([](Expr w) { return w[0][1] + w[2][1] * 0.5 - w[1][0]; });
}

int vector_loops(const Expr& e) {
  int n = e.is(Op::MapVec) ? 1 : 0;
  for (const Expr& c : e.children()) n += vector_loops(c);
  return n;
}

/// Every boundary condition in two dimensions, each of another depth; in three and one some.
void for_legs(
    const std::function<void(int dim, const std::string& boundary, const std::string& sweeps)>& check) {
  std::size_t n = 0;
  for (const std::string& boundary : boundary_names())
    if (boundary != "periodic") check(2, boundary, kSweeps[n++ % kSweeps.size()]);
  check(2, "ghost", "4"), check(1, "neumann", "3");
}

}  // namespace

TEST_CASE("in step: a correction before half-sweeps, every boundary and depth, bit by bit") {
  for_legs([](int dim, const std::string& boundary, const std::string& sweeps) {
    CAPTURE(dim);
    CAPTURE(boundary);
    CAPTURE(sweeps);
    const Program p = prolongation_correction(dim).build(
        leg(sweeps.c_str(), boundary, dim == 3 ? 4 : 6, sweeps == "3" ? 2 : 1));
    for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 3}}}}) check_in_step(p, s);
    if (dim > 1) check_in_step(p, {{{1, 2}, {0, 1}}});
    check_least_lags(in_step(stepped(p, "overwrite-bases"), {{{0, 1}}}));
  });
}

TEST_CASE("in step: half-sweeps, then the norm of what is left over, of any number of planes, bit by bit") {
  std::size_t n = 0;
  for (const std::string sweeps : {"1", "2", "3", "4"})
    for (const std::int64_t box : {1, 3, 5, 33}) {
      const std::string kind = ++n % 2 == 0 ? "l2" : "max", boundary = n % 3 == 0 ? "neumann" : "ghost";
      if (box == 33 && sweeps != "2") continue;  // more sums than are kept in variables
      CAPTURE(sweeps);
      CAPTURE(box);
      CAPTURE(kind);
      CAPTURE(boundary);
      Problem problem = leg(sweeps.c_str(), boundary, box, box == 33 ? 1 : 1 + static_cast<int>(n) % 3);
      problem.choices["kind"] = kind;
      const Program p = residual_norm(box == 33 ? 1 : box == 3 ? 3 : 2).build(problem);
      for (const Schedule& s : {Schedule{{{0, 1}}}, Schedule{{{0, 3}}}}) check_in_step(p, s);
    }
}

TEST_CASE("in step: rings of stages that make two planes an iteration keep both") {
  const Program p{"fine",
                  {coarse_cells},
                  let(children(coarse_cells),
                      [&](Expr a) { return let(smoothed(a), [&](Expr b) { return smoothed(b); }); }),
                  {},
                  {}};
  const LoopsRun expected = run_loops(lower(p), 1);
  for (const int width : {1, 2, 3, 5}) {
    CAPTURE(width);
    const Program q = in_step(stepped(p, "rings"), {{{0, width}}});
    CHECK(run_loops(test::run(q), 1).results == expected.results);
    for (const int stage : {0, 1}) {
      bool whole = false;
      const Program fewer = with_fewer_planes(q, stage, whole);
      if (!whole) CHECK_THROWS_WITH_AS(lower(fewer), doctest::Contains("are still read"), UserError);
    }
  }
  const auto tiles = apply(find_rule("in-tiles"), stepped(p, "rings"), {}, {"0", "4"});
  CHECK_FALSE(tiles);
  CHECK(tiles.reason().find("stage 1 makes 2 positions an iteration of its loop along axis 0") !=
        std::string::npos);
}

TEST_CASE("in step: stages that make two planes an iteration wait until all that both read is there") {
  // A sweep, then what a sweep leaves is read two planes an iteration: as children of coarse cells, or in
  // pairs.
  const auto in_pairs = [](const Expr& x) {
    return join(x | pad2(1, 1, clamp) | slide2(3, 1) | split(2) | map([](Expr pair) {
                  return pair | map([](Expr row) {
                           return row | map([](Expr w) { return w[0][1] + w[2][1] * 0.5 - w[1][0]; });
                         });
                }));
  };
  for (const std::function<Expr(const Expr&)>& made :
       {std::function<Expr(const Expr&)>(children), {in_pairs}}) {
    const Program p{"between",
                    {coarse_cells},
                    let(smoothed(coarse_cells),
                        [&](Expr a) { return let(made(a), [&](Expr b) { return smoothed(b); }); }),
                    {},
                    {}};
    const LoopsRun expected = run_loops(lower(p), 1);
    for (const int width : {1, 2, 3, 5}) {
      CAPTURE(width);
      const Program q = in_step(stepped(p, "rings"), {{{0, width}}});
      CHECK(run_loops(test::run(q), 1).results == expected.results);
      check_least_lags(q);
    }
  }
}

TEST_CASE("in step: a first half-sweep from zero reads nothing of what it overwrites") {
  const Expr v = param("v", array({Nat(11), Nat(9)}, f64)), b = param("b", array({Nat(11), Nat(9)}, f64));
  const auto colour = [](const Expr& at, int c) { return eq((get(0, at) + get(1, at) + c) % 2, 0); };
  const Expr first =
      update(v, {1, 1}, zip_n(2, {positions({Nat(9), Nat(7)}), b | drop2(1, 1)}) | map2([=](Expr at, Expr f) {
                          return select(colour(at, 0), f * -0.25, literal(0, f64));
                        }));
  const auto sweep = [&](const Expr& x, int c) {
    return update(x, {1, 1},
                  zip_n(2, {positions({Nat(9), Nat(7)}), x | slide2(3, 1), b | drop2(1, 1)}) |
                      map2([=](Expr at, Expr w, Expr f) {
                        return select(colour(at, c), (w[0][1] + w[1][0] + w[1][2] + w[2][1] - f) * 0.25,
                                      w[1][1]);
                      }));
  };
  const Program p{"zero",
                  {v, b},
                  let(first, [&](Expr x) { return let(sweep(x, 1), [&](Expr y) { return sweep(y, 0); }); }),
                  {"v"},
                  {}};
  const StageGraph graph = stage_graph(chain_of(p));
  for (const Dependence& d : graph.dependences)  // others may overwrite at once what the first does not read
    CHECK_FALSE((d.kind == Dependence::Kind::Anti && d.from == 0));
  for (const Schedule& s : kSchedules)
    if (s.steps.size() < 3) check_in_step(p, s);
}

TEST_CASE(
    "in step: legs of a cycle are explored in place, in step, in layouts by colour, on one to three "
    "threads") {
  for (const auto& [pattern, boundary, boxes] : {std::tuple{prolongation_correction(3), "ghost", 2},
                                                 {prolongation_correction(2), "neumann", 1},
                                                 {residual_restriction(3), "ghost", 1},
                                                 {residual_restriction(2), "clamp", 1}})
    for (const int threads : {1, 2, 3}) {
      if (pattern.name.ends_with("3d") && threads != 2) continue;
      CAPTURE(pattern.name);
      CAPTURE(threads);
      Problem problem = leg(boxes == 2 ? "3" : "2", boundary, pattern.name.ends_with("3d") ? 8 : 18, boxes);
      const Program p = pattern.build(problem);
      const LoopsRun expected = run_loops(lower(p), 2);
      const Space space(p, {Target::openmp, threads, 32});
      int in_step = 0, split = 0;
      std::set<std::string> structures;
      for (const Configuration& c : space.seeds()) {
        const std::string words = space.structure(c);
        if (!structures.insert(words).second) continue;
        CAPTURE(words);
        in_step += c.contains("time") && c.at("time") != "none", split += !space.layout(c).empty();
        const Program derived = replay(space.program(), space.derive(c));
        const Kernel k = lower(derived, {.vector_bytes = 32});
        const LoopsRun found = run_loops(k, 2);
        REQUIRE(found.results.size() == expected.results.size());
        for (std::size_t r = 0; r < found.results.size(); ++r) CHECK(found.results[r] == expected.results[r]);
        if (c.at("inner") == "seq") CHECK(found.races.empty());
      }
      CHECK(in_step >= 2);
      CHECK(split >= 1);
    }
}

TEST_CASE("in step: every stage of a leg is a loop over vectors, that over blocks of cells too") {
  for (const Pattern& pattern : {prolongation_correction(2), residual_restriction(2)}) {
    CAPTURE(pattern.name);
    const Program p = pattern.build(leg("2", "ghost", 70, 1));  // rows of more cells than a small array has
    const LoopsRun expected = run_loops(lower(p), 2);
    const Space space(p, {Target::openmp, 1, 32});
    int checked = 0;
    for (const Configuration& c : space.seeds()) {
      if (c.at("inner") == "seq") continue;
      CAPTURE(space.structure(c));
      const Program derived = replay(space.program(), space.derive(c));
      const auto stages = static_cast<int>(chain_of(derived).stages.size());
      CHECK(vector_loops(derived.body) == stages);
      CHECK(run_loops(lower(derived, {.vector_bytes = 32}), 2).results == expected.results);
      ++checked;
    }
    CHECK(checked >= 3);
  }
}

}  // namespace lift::in_step_test
