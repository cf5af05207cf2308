// Chains in overlapped tiles: each tile computes what its part of the result needs.
#include <stdexcept>

#include "ir/text/parse.hpp"
#include "tests/lower/in_step_chains.hpp"

namespace lift::in_step_test {
namespace {

/// p with other margins in its tiles.
Program with_margins(const Program& p, const std::vector<std::int64_t>& margins) {
  return test::with_shifts(p, Band::overlapped, margins);
}

/// Computes other results, or reads what a tile does not have.
bool is_wrong(const Program& p, const LoopsRun& expected) {
  try {
    return run_loops(translate(p), 1).results != expected.results;
  } catch (const std::out_of_range&) {
    return true;
  }
}

}  // namespace

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
          CHECK(chain_of(q).bands.at(0).shifts == margins);
          if (tile > 5) continue;
          --margins[0];  // behind the check's back, part of the first stage is never computed
          CHECK_THROWS_WITH_AS(lower(with_margins(q, margins)), doctest::Contains("beyond the tile"),
                               UserError);
          CHECK(is_wrong(with_margins(q, margins), expected));
        }
    }
}

TEST_CASE("in tiles: a tile that a border fills has no vectors of the stages that keep it") {
  for (const int n : {64, 65, 66, 67, 68, 81, 83}) {
    CAPTURE(n);
    const Program p = stepped(
        parse_program("param u : " + std::to_string(n) +
                      ".f64\ndef step(x) = update(x, 3, x |> slide(7, 1) |> map(\\w. w[0] - 2 * w[3] + w[6]))"
                      "\nresult r = u |> iterate(3, step)\n"),
        "iterate-chain");
    const LoopsRun expected = run_loops(lower(p), 1);
    Program vectors = stepped(p, "rings");
    for (std::size_t s = 0; s < 3; ++s) {
      Place at = chain_of(vectors).stages.at(s).place;
      while (!part_at(vectors.body, at).is(Op::Map))
        at.push_back(is_update(part_at(vectors.body, at).op()) ? 1 : 0);
      vectors = stepped(vectors, "map-vec", {"4"}, at);
    }
    for (const int tile : {8, 16, 20}) {
      CAPTURE(tile);
      const Program q = stepped(vectors, "in-tiles", {"0", std::to_string(tile)});
      const LoopsRun found = run_loops(lower(q, {.vector_bytes = 32}), 1);
      CHECK(found.results == expected.results);
      CHECK(found.races.empty());
    }
  }
}

TEST_CASE("in tiles: margins of lines of any length are those of short ones") {
  for (const char* n : {"5000", "5000000", "70000000"}) {
    const Program p = parse_program("param u : " + std::string(n) +
                                    ".f64\nresult v =\n  let a = u |> pad(1, 1, clamp) |> slide(3, 1) |> "
                                    "map(\\w. w[0] + w[2]) in a |> pad(1, 1, clamp) |> slide(3, 1) |> "
                                    "map(\\w. w[0] + w[2])\n");
    const Program q = stepped(stepped(p, "rings"), "in-tiles", {"0", "2048"});
    CHECK(chain_of(q).bands.at(0).shifts == std::vector<std::int64_t>{1, 0});
  }
}

TEST_CASE("in tiles: results of different lengths, the longest first, in the middle or last") {
  const std::string longer =
      "a |> pad2((1, 0), (1, 0), clamp) |> slide2((2, 1), 1) |> map2(\\w. w[1, 0] - w[0, 0])";
  const std::string equal = "a |> map2(\\x. 3 * x)";
  const std::string shorter = "a |> slide2((3, 1), 1) |> map2(\\w. w[2, 0] + w[0, 0])";
  for (const auto& results : std::vector<std::vector<std::string>>{
           {longer, equal, shorter}, {equal, longer, shorter}, {shorter, equal, longer}}) {
    const Program p = parse_program(
        "param x : 12.9.f64\nresult u, v, w =\n"
        "let a = x |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\\w. w[0, 1] + w[1, 0]) "
        "in {" +
        results[0] + ", " + results[1] + ", " + results[2] + "}");
    const LoopsRun expected = run_loops(lower(p), 1);
    for (const int tile : {1, 3, 4, 6, 12})
      for (const int width : {0, 1, 2}) {
        CAPTURE(results[0]);
        CAPTURE(tile);
        CAPTURE(width);
        const Program tiled = stepped(stepped(p, "rings"), "in-tiles", {"0", std::to_string(tile)});
        const LoopsRun found = run_loops(test::run(width > 0 ? in_step(tiled, {{{0, width}}}) : tiled), 1);
        CHECK(found.results == expected.results);
        CHECK(found.races.empty());
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

}  // namespace lift::in_step_test
