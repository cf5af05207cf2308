// Chains in tiles of two phases: tiles that shrink from stage to stage, then what they leave around the
// seams.
#include <numeric>
#include <stdexcept>

#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/chain.hpp"
#include "tests/lower/in_step_chains.hpp"
#include "tests/parallel_loops.hpp"

namespace lift::in_step_test {
namespace {

Program in_phases(const Program& p, int axis, std::int64_t width) {
  return stepped(p, "in-phases", {std::to_string(axis), std::to_string(width)});
}
std::string why_not_in_phases(const Program& p, int axis, std::int64_t width) {
  const auto r = apply(find_rule("in-phases"), p, {}, {std::to_string(axis), std::to_string(width)});
  return r ? "" : r.reason();
}
std::int64_t least_width(const Program& p, int axis) {
  const Chain chain = chain_of(p);
  const Shifts s = least_shifts(chain, stage_graph(chain), Band::phases, static_cast<std::size_t>(axis));
  REQUIRE(s.obstacle == "");
  return lift::least_width(s.by_stage);
}

/// p with another width, and other shifts, of its phases.
Program with_phases(const Program& p, std::int64_t width, const std::vector<std::int64_t>& shifts) {
  return test::with_bands(p, [&](Band& b) {
    if (b.shape == Band::phases) b.width = width, b.shifts = shifts;
  });
}
/// Behind the check's back: other results, or iterations of parallel loops that meet.
bool is_wrong(const Program& p, const LoopsRun& expected) {
  const LoopsRun found = run_loops(translate(p), 1);
  return found.results != expected.results || !found.races.empty();
}

std::size_t loads(const LoopsRun& r) {
  return std::accumulate(r.loads.begin(), r.loads.end(), std::size_t{0},
                         [](std::size_t n, const auto& of) { return n + of.second; });
}

/// The same numbers, nothing of them computed twice, in two loops that threads share; shifts of a plane less
/// and tiles of a plane less are refused, and wrong.
void check(const Program& p, int axis, const Schedule& within = {}) {
  const LoopsRun expected = run_loops(lower(p), 1);
  const std::int64_t least = least_width(p, axis);
  for (const std::int64_t width : {least, least + 1, least + 3, std::int64_t{50}}) {
    CAPTURE(axis);
    CAPTURE(width);
    CAPTURE(text_of(within));
    const Program q = in_step(in_phases(p, axis, width), within);
    const Kernel k = lower(q);
    const LoopsRun found = run_loops(k, 1);
    CHECK_MESSAGE(found.results == expected.results, lift::str(k.body));
    CHECK(found.races.empty());
    const std::vector<std::int64_t> shifts = chain_of(q).bands.at(0).shifts;
    if (width > least + 1) continue;
    for (std::size_t s = 1; s < shifts.size(); ++s) {
      std::vector<std::int64_t> fewer = shifts;
      for (std::size_t later = s; later < shifts.size(); ++later) --fewer[later];
      CHECK_THROWS_WITH_AS(lower(with_phases(q, width, fewer)), doctest::Contains("a tile has to leave"),
                           UserError);
      CHECK(is_wrong(with_phases(q, width, fewer), expected));
    }
    CHECK_THROWS_WITH_AS(lower(with_phases(q, least - 1, shifts)), doctest::Contains("too narrow"),
                         UserError);
  }
}

const auto mean = [](const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1] - w[1][1] * 3.0; };
Expr heat(const Expr& x) { return update(x, {1, 1}, x | slide2(3, 1) | map2(mean)); }
Expr clamped(const Expr& x) { return x | pad2(1, 1, clamp) | slide2(3, 1) | map2(mean); }

}  // namespace

TEST_CASE("in phases: sweeps of two arrays, and stages in arrays of their own, along either axis") {
  for (const auto& step : {heat, clamped})
    for (const int stages : {2, 3, 4}) {
      CAPTURE(stages);
      const Program p = chain_of_steps(step, stages);
      std::vector<Program> forms;
      if (step == clamped) forms.push_back(p);
      if (stages > 2) forms.push_back(stepped(p, "two-arrays"));
      for (const Program& form : forms)
        for (const int axis : {0, 1}) check(form, axis);
    }
}

TEST_CASE("in phases: around stages in step along another axis") {
  for (const auto& step : {heat, clamped}) {
    const Program p = stepped(chain_of_steps(step, 4), "two-arrays");
    for (const int width : {1, 2, 3}) check(p, 1, {{{0, width}}}), check(p, 0, {{{1, width}}});
  }
}

TEST_CASE("in phases: half-sweeps in place, below the loop over boxes") {
  for (const std::string smoother : {"gsrb", "jacobi"})
    for (const std::string boundary : {"ghost", "neumann"}) {
      CAPTURE(smoother);
      CAPTURE(boundary);
      const Program p = in_one_loop(problem(3, boundary, smoother, 1));
      const LoopsRun expected = run_loops(lower(p), 1);
      for (const int axis : {0, 1, 2})
        for (const int more : {0, 1}) {
          CAPTURE(axis);
          const Program q = in_phases(p, axis, least_width(p, axis) + more);
          for (const Schedule& within :
               {Schedule{}, Schedule{{{(axis + 2) % 3, 1}}}, Schedule{{{axis, 2}}}}) {
            if (within.steps.size() == 1 && within.steps[0].first == 2) continue;
            CAPTURE(text_of(within));
            const LoopsRun found = run_loops(lower(in_step(q, within)), 1);
            CHECK(found.results == expected.results);
            CHECK(found.races.empty());
          }
        }
    }
}

TEST_CASE(
    "in phases: lines, in vectors too; nothing is computed twice, and there are two loops for threads") {
  const auto padded = [](const std::string& boundary) {
    return "x |> pad(1, 2, " + boundary + ") |> slide(4, 1) |> map(\\w. w[0] - 2 * w[1] + w[3])";
  };
  const std::string kept = "update(x, 1, x |> slide(4, 1) |> map(\\w. w[0] - 2 * w[1] + w[3]))";
  for (const std::string& step : {padded("clamp"), padded("mirror"), kept})
    for (const int n : {61, 64, 100}) {
      CAPTURE(step);
      CAPTURE(n);
      const Program p =
          stepped(parse_program("param u : " + std::to_string(n) + ".f64\ndef step(x) = " + step +
                                "\nresult r = u |> iterate(4, step)\n"),
                  "iterate-chain");
      const LoopsRun expected = run_loops(lower(p), 1);
      const Program two = stepped(p, "two-arrays");
      check(two, 0);
      for (const int width : {16, 20, 24, 33}) {
        CAPTURE(width);
        const Kernel k = lower(in_phases(two, 0, width));
        CHECK(test::parallel_loops(k) == 2);
        const LoopsRun found = run_loops(k, 1);
        CHECK(loads(found) <= std::size_t{4 * 3} * static_cast<std::size_t>(n));  // three a point and stage
        Program vectors = two;
        for (std::size_t s = 0; s < 4; ++s) {
          Place at = chain_of(vectors).stages.at(s).place;
          while (!part_at(vectors.body, at).is(Op::Map))
            at.push_back(is_update(part_at(vectors.body, at).op()) ? 1 : 0);
          vectors = stepped(vectors, "map-vec", {"4"}, at);
        }
        const LoopsRun wide = run_loops(lower(in_phases(vectors, 0, width), {.vector_bytes = 32}), 1);
        CHECK(wide.results == expected.results);
        CHECK(wide.races.empty());
      }
    }
}

TEST_CASE("in phases: what is overwritten is still read as far as windows reach") {
  // The third stage reads the second one where it is, and overwrites the first, which that reads around it.
  const Program p = parse_program(
      "param u : 50.f64\nresult r =\n  let a = u |> map(\\v. 2 * v) in\n"
      "  let b = a |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] - 3 * w[1] + w[2]) in\n"
      "  let c = b |> map(\\v. v + 1) in c |> map(\\v. 3 * v)\n");
  check(stepped(p, "two-arrays"), 0);
}

TEST_CASE("in phases: grids of two spacings") {
  const Expr x = param("x", array({Nat(33), Nat(5)}, f64));
  const auto coarse = [](const Expr& y) {
    return y | slide2((3), 2) | map2([](Expr w) { return w[0][0] + w[1][1] * 2.0 + w[2][2]; });
  };
  const Program p{"cycle",
                  {x},
                  let(clamped(x), [&](Expr a) { return let(clamped(a), [&](Expr b) { return coarse(b); }); }),
                  {},
                  {}};
  const LoopsRun expected = run_loops(lower(p), 1);
  for (std::int64_t width = least_width(p, 0); width < 12; ++width) {
    CAPTURE(width);
    for (const Schedule& within : {Schedule{}, Schedule{{{1, 1}}}}) {
      const LoopsRun found = run_loops(lower(in_step(in_phases(p, 0, width), within)), 1);
      CHECK(found.results == expected.results);
      CHECK(found.races.empty());
    }
  }
}

TEST_CASE("in phases: what cannot be says why") {
  const Program p = stepped(chain_of_steps(clamped, 4), "two-arrays");
  CHECK(why_not_in_phases(p, 0, 5) ==
        "tiles of 5 are too narrow: what is left around their seams meets; use 6 or more, or fewer stages");
  CHECK(why_not_in_phases(in_phases(p, 0, 6), 1, 6) == "the chain goes in phases already");
  CHECK(why_not_in_phases(in_step(p, {{{0, 1}}}), 1, 6) ==
        "the chain goes in step already: use this rule before in-step");
  const Program rings = stepped(chain_of_steps(clamped, 4), "rings");
  CHECK(why_not_in_phases(rings, 0, 6).find("keep it whole") != std::string::npos);
  CHECK(why_not_in_phases(stepped(rings, "in-tiles", {"0", "4"}), 1, 6) ==
        "the chain goes in tiles that overlap already");
  const auto wrapped = [](const Expr& x) {
    return x | pad2(1, 1, wrap) | slide2(3, 1) | map2([](Expr w) { return w[0][1] + w[2][1]; });
  };
  CHECK(why_not_in_phases(chain_of_steps(wrapped, 3), 0, 8).find("wraps around") != std::string::npos);
  CHECK(why_not_in_phases(chain_of_steps(clamped, 1), 0, 8).find("there is no chain") != std::string::npos);
  const auto fine = [](const Expr& x) {
    return join_n(2, x | slide2(3, 1) | map2([](Expr w) {
                       return w | slide2(2, 1) | map2([](Expr c) { return c[0][0]; });
                     }));
  };
  CHECK(why_not_in_phases({"fine", {u}, let(fine(u), [&](Expr y) { return clamped(y); }), {}, {}}, 0, 8)
            .find("makes 2 positions an iteration") != std::string::npos);
}

}  // namespace lift::in_step_test
