// Fourier factors against the literature, and against what cycles do.
#include <doctest/doctest.h>

#include "gmg/fourier.hpp"
#include "gmg/solver.hpp"
#include "tests/gmg/dense.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_fourier_test {
namespace {

gmg::Equation poisson(const std::vector<std::int64_t>& cells, bool periodic = true) {
  gmg::Domain box(cells);
  for (std::size_t a = 0; a < cells.size() && periodic; ++a) box.periodic(static_cast<gmg::Axis>(a));
  return gmg::helmholtz(box, {.variable = false});
}

}  // namespace

TEST_CASE("smoothing factors of the textbook") {
  const gmg::Plan jacobi{.smoother = gmg::Smoother::jacobi, .down = 1, .up = 0, .weight = 0.8};
  CHECK(gmg::fourier_factors(poisson({32, 32}), jacobi, {}, 64).smoothing ==
        doctest::Approx(0.6).epsilon(0.02));
  // Red-black in 2D: 1/4 for one sweep (Trottenberg et al., section 4.5).
  CHECK(gmg::fourier_factors(poisson({32, 32}), {.down = 1, .up = 0, .weight = 1}, {}, 64).smoothing ==
        doctest::Approx(0.25).epsilon(0.02));
  CHECK(gmg::fourier_factors(poisson({16, 16, 16}), {.down = 1, .up = 0, .weight = 1}, {}, 16).smoothing ==
        doctest::Approx(4.0 / 9).epsilon(0.03));
}

TEST_CASE("two-grid factors predict what a cycle does within 15 %") {
  struct Case {
    std::vector<std::int64_t> cells;
    gmg::Plan plan;
  };
  using gmg::Smoother;
  const std::vector<Case> cases{{{32, 32}, {.down = 1, .up = 1, .weight = 1}},
                                {{32, 32}, {.smoother = Smoother::jacobi, .down = 1, .up = 1, .weight = 0.8}},
                                {{32, 32, 32}, {.weight = 1}},
                                {{32, 32, 32}, {.down = 1, .up = 1, .weight = 1.15}},
                                {{32, 32, 32}, {.smoother = Smoother::jacobi, .weight = 0.857}}};
  for (const Case& c : cases) {
    const gmg::Equation e = poisson(c.cells);
    const double predicted = gmg::fourier_factors(e, c.plan).two_grid;
    gmg::Plan plan = c.plan;
    plan.cycle = gmg::CycleKind::W;
    gmg::Solver solver(e, plan);
    std::mt19937 random(1);
    Field f(static_cast<std::size_t>(e.domain().count()), 0), u = random_field(random, e.domain().count());
    const gmg::Report r = solver.solve(f, u, {.relative = 1e-12, .cycles = 12});
    CAPTURE(c.cells.size());
    CAPTURE(predicted);
    CAPTURE(r.text());
    const std::size_t n = r.history.size();
    REQUIRE(n > 5);
    const double measured = std::sqrt(r.history[n - 1] / r.history[n - 3]);
    CHECK(measured == doctest::Approx(predicted).epsilon(0.15));
  }
}

TEST_CASE("the best weight lies where cycles are fastest") {
  const gmg::Equation e = poisson({16, 16, 16});
  const double w = gmg::best_weight(e, {});
  CHECK(w > 1.1);
  CHECK(w < 1.35);
  CHECK(gmg::fourier_factors(e, {.weight = w}).two_grid <
        0.5 * gmg::fourier_factors(e, {.weight = 1}).two_grid);
  CHECK(test::message([&] {
          gmg::fourier_factors(e, {.ratios = {{3, 3, 3}}});
        }).find("ratios of 1 and 2") != std::string::npos);
}

}  // namespace gmg_fourier_test
