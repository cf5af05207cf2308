// Fourier factors against the literature, and against what cycles do.
#include <doctest/doctest.h>

#include <cmath>

#include "embed/compiler.hpp"
#include "gmg/found_weight.hpp"
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

/// By how much a factor differs, relative to what is expected (doctest's Approx adds 1 to that).
double off(double factor, double expected) { return std::abs(factor / expected - 1); }

}  // namespace

TEST_CASE("smoothing factors of the textbook") {
  const gmg::Plan jacobi{.smoother = gmg::Smoother::jacobi, .down = 1, .up = 0, .weight = 0.8};
  CHECK(off(gmg::fourier_factors(poisson({32, 32}), jacobi, {}, 64).smoothing, 0.6) < 0.02);
  // Red-black in 2D: 1/4 for one sweep (Trottenberg et al., section 4.5).
  const gmg::Plan one{.down = 1, .up = 0, .weight = 1};
  CHECK(off(gmg::fourier_factors(poisson({32, 32}), one, {}, 64).smoothing, 0.25) < 0.02);
  CHECK(off(gmg::fourier_factors(poisson({16, 16, 16}), one, {}, 16).smoothing, 4.0 / 9) < 0.03);
}

TEST_CASE("two-grid factors predict what a cycle does within 15 %") {
  struct Case {
    std::string what;
    gmg::Equation equation;
    gmg::Plan plan;
  };
  using gmg::Smoother;
  const auto flat = [](std::vector<double> spacings, double a) {
    gmg::Domain box({32, 32}, {.spacings = std::move(spacings)});
    box.periodic(gmg::Axis::i), box.periodic(gmg::Axis::j);
    return gmg::helmholtz(box, {.a = a, .variable = false});
  };
  gmg::Domain walls({64, 64}), mixed({32, 32, 32});
  walls.face({gmg::Axis::i, false}) = gmg::neumann();
  mixed.face({gmg::Axis::k, true}) = gmg::neumann(), mixed.periodic(gmg::Axis::j);
  const auto with_faces = [](const gmg::Domain& box) { return gmg::helmholtz(box, {.variable = false}); };
  const gmg::Equation nine = gmg::equation(poisson({32, 32}).domain(), [](const gmg::Point& at) {
    Expr all = 20.0 * at.u();
    for (const int x : {-1, 1}) {
      all = all - 4.0 * at.u({0, x}) - 4.0 * at.u({x, 0});
      for (const int y : {-1, 1}) all = all - at.u({x, y});
    }
    return all;
  });
  const std::vector<Case> cases{
      {"2D", poisson({32, 32}), {.down = 1, .up = 1, .weight = 1}},
      {"2D, more sweeps", poisson({32, 32}), {.down = 2, .up = 1, .weight = 1}},
      {"2D, its own weight", poisson({32, 32}), {.down = 1, .up = 1}},
      {"2D, Jacobi", poisson({32, 32}), {.smoother = Smoother::jacobi, .down = 1, .up = 1, .weight = 0.8}},
      {"3D", poisson({32, 32, 32}), {.weight = 1}},
      {"3D, V(1,1), overrelaxed", poisson({32, 32, 32}), {.down = 1, .up = 1, .weight = 1.15}},
      {"3D, V(2,2), overrelaxed", poisson({32, 32, 32}), {.weight = 1.2}},
      {"3D, Jacobi", poisson({32, 32, 32}), {.smoother = Smoother::jacobi, .weight = 0.857}},
      {"a u - div grad u", flat({1, 1}, 0.3), {.down = 1, .up = 1, .weight = 1}},
      {"spacings of 1 and 1.3", flat({1, 1.3}, 0), {.down = 1, .up = 1, .weight = 1}},
      {"an axis kept",
       flat({1, 4}, 0),
       {.down = 1, .up = 1, .weight = 1, .ratios = {{2, 1}, {2, 1}, {2, 2}}}},
      {"nine points, Jacobi", nine, {.smoother = Smoother::jacobi, .down = 1, .up = 1, .weight = 0.8}},
      {"Dirichlet and Neumann faces, 2D", with_faces(walls), {.down = 1, .up = 1, .weight = 1}},
      {"three kinds of faces, 3D", with_faces(mixed), {.down = 1, .up = 1, .weight = 1}}};
  for (const Case& c : cases) {
    const gmg::Equation& e = c.equation;
    const double predicted = gmg::fourier_factors(e, c.plan).two_grid;
    gmg::Plan plan = c.plan;
    plan.cycle = gmg::CycleKind::W;
    gmg::Solver solver(e, plan);
    std::mt19937 random(1);
    Field f(static_cast<std::size_t>(e.domain().count()), 0), u = random_field(random, e.domain().count());
    const gmg::Report r = solver.solve(f, u, {.relative = 1e-12, .cycles = 12});
    CAPTURE(c.what);
    CAPTURE(predicted);
    CAPTURE(r.text());
    if (c.plan.weight == 0)
      CHECK(gmg::best_weight(e, c.plan) == doctest::Approx(solver.hierarchy().level(0).weight()));
    const std::size_t n = r.history.size();
    REQUIRE(n > 5);
    const double measured = std::sqrt(r.history[n - 1] / r.history[n - 3]);
    CAPTURE(measured);
    CHECK(off(predicted, measured) < 0.15);
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

TEST_CASE("the weight is found once, and again where what was kept is none") {
  const gmg::Domain box({8, 8}, {.spacing = 1.0 / 8});
  const gmg::Equation a = gmg::equation(box, [](const gmg::Point& p) {  // of no other test
    return 4.375 * p.u() - p.u({1, 0}) - p.u({-1, 0}) - p.u({0, 1}) - p.u({0, -1});
  });
  const gmg::Plan plan{.down = 1, .up = 2};
  const std::string key = gmg::weight_key(a, plan, {2, 2});
  CHECK(key != gmg::weight_key(a, gmg::Plan{.down = 2, .up = 2}, {2, 2}));
  CHECK(key != gmg::weight_key(gmg::helmholtz(box), plan, {2, 2}));
  shared_vault().remove(key, gmg::kWeightSuffix);
  const double found = gmg::found_weight(a, plan);
  CHECK(found == gmg::best_weight(a, plan));
  shared_vault().keep(key, gmg::kWeightSuffix, "1.0625");
  CHECK(gmg::found_weight(a, plan) == 1.0625);
  for (const char* damaged : {"", "heavy", "nan", "-1", "7"}) {
    shared_vault().keep(key, gmg::kWeightSuffix, damaged);
    CHECK(gmg::found_weight(a, plan) == found);
  }
}

}  // namespace gmg_fourier_test
