// Domains in bricks: histories and solutions are those of one brick.
#include <doctest/doctest.h>

#include "gmg/solver.hpp"
#include "tests/gmg/random_equation.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_bricks_test {
namespace {

struct Case {
  std::vector<std::int64_t> cells;
  std::string faces;  ///< "mixed", or of one kind
  std::vector<std::vector<int>> bricks;
  gmg::Plan plan = {};
};

gmg::Domain box_of(const Case& c) {
  gmg::Domain box(c.cells, {.spacing = 1.0 / 32});
  for (std::size_t a = 0; a < c.cells.size(); ++a) {
    const auto axis = static_cast<gmg::Axis>(a);
    if (c.faces == "periodic" || (c.faces == "mixed" && a == 1))
      box.periodic(axis);
    else if (c.faces == "neumann")
      box.face({axis, false}) = gmg::neumann(), box.face({axis, true}) = gmg::neumann();
    else if (c.faces == "mixed" && a == 0)
      box.face({axis, false}) = gmg::robin(1, 0.5, 2.0), box.face({axis, true}) = gmg::neumann(0.5);
  }
  return box;
}

gmg::Report solved(const gmg::Equation& e, const gmg::Plan& plan, Field& u, double contrast = 0.3) {
  gmg::Solver solver(e, plan);
  std::mt19937 random(2);
  for (const gmg::Coefficient& x : e.coefficients()) {
    Field beta =
        random_field(random, static_cast<std::int64_t>(solver.hierarchy().level(0).array(x.name).size()));
    for (double& b : beta) b = contrast < 1 ? 1 + contrast * b : std::exp(contrast * b);
    const bool ends_alike = x.faces && e.domain().is_periodic(e.domain().dimension_of(*x.faces));
    if (ends_alike) std::fill(beta.begin(), beta.end(), 1.5);
    solver.set(x.name, std::span<const double>(beta));
  }
  const Field f = random_field(random, e.domain().count());
  u.assign(f.size(), 0);
  return solver.solve(f, u, {.relative = 1e-9, .cycles = 60});
}

void check_alike(const gmg::Report& one, const Field& u, const gmg::Report& r, const Field& v) {
  CHECK_MESSAGE(r.converged(), r.text());
  REQUIRE(one.history.size() == r.history.size());
  for (std::size_t k = 0; k < one.history.size(); ++k)
    CHECK(std::abs(one.history[k] - r.history[k]) <= 1e-10 * one.history[k] + 1e-13 * one.history[0]);
  double most = 0, largest = 0;
  for (std::size_t x = 0; x < u.size(); ++x)
    most = std::max(most, std::abs(u[x] - v[x])), largest = std::max(largest, std::abs(u[x]));
  CHECK(most <= 1e-11 * largest);
}

void check_case(const Case& c) {
  CAPTURE(c.faces);
  CAPTURE(c.cells.size());
  const gmg::Equation e = gmg::helmholtz(box_of(c));
  Field u, v;
  const gmg::Report one = solved(e, c.plan, u);
  for (const std::vector<int>& bricks : c.bricks) {
    gmg::Plan plan = c.plan;
    plan.bricks = bricks;
    CAPTURE(str(plan));
    check_alike(one, u, solved(e, plan, v), v);
  }
}

}  // namespace

TEST_CASE("8 and 64 bricks have the history of one, to 1e-10, whatever lies at the faces") {
  check_case({{48, 48, 48}, "dirichlet", {{2, 2, 2}, {4, 4, 4}}});
  check_case({{40, 36, 24}, "mixed", {{2, 3, 1}}});
  check_case({{32, 48}, "periodic", {{2, 2}, {1, 4}}});
  check_case({{32, 24}, "neumann", {{2, 2}}});
}

TEST_CASE("bricks: other cycles, ratios, sweeps in one pass, full multigrid, one and two dimensions") {
  gmg::Plan plan;
  plan.passes = gmg::Passes::together, plan.down = 1, plan.up = 2, plan.cycle = gmg::CycleKind::F;
  check_case({{40, 32}, "mixed", {{2, 2}}, plan});
  plan = {};
  plan.full_start = true, plan.ratios = {{3, 1}, {1, 2}, {2, 2}};
  check_case({{72, 64}, "mixed", {{2, 2}, {3, 1}}, plan});
  plan = {};
  plan.cycle = gmg::CycleKind::W, plan.bottom_cells = 16;
  check_case({{256}, "dirichlet", {{4}, {8}}, plan});
}

TEST_CASE("bricks: any A, of cells further away, with colours of their own, across edges of bricks, too") {
  using Ints = std::vector<std::int64_t>;
  for (const auto& [cells, bricks] : {std::pair<Ints, Ints>{{16, 96}, {1, 2}}, {{96, 96}, {2, 2}}}) {
    const gmg::Domain box = box_of({cells, "dirichlet", {}});
    const gmg::Equation wide = gmg::equation(box, {gmg::cells("c")}, [](const gmg::Point& at) {
      Expr sum = at.cell("c") * (20 * at.u());
      for (const int d : {-2, -1, 1, 2})
        sum = sum - (1.0 / (d * d)) * at.u({d, 0}) - (1.0 / (d * d)) * at.u({0, d}) - 0.25 * at.u({d, d});
      return sum;
    });
    Field u, v;
    const gmg::Report one = solved(wide, {}, u);
    gmg::Plan plan;
    plan.bricks.assign(bricks.begin(), bricks.end());
    check_alike(one, u, solved(wide, plan, v), v);
  }
}

TEST_CASE("bricks: where corrections take steps of least energy, the finest level is in bricks") {
  const gmg::Equation e = gmg::helmholtz(box_of({{64, 64}, "dirichlet", {}}));
  Field u, v;
  const gmg::Report one = solved(e, {}, u, 2);
  gmg::Plan plan;
  plan.bricks = {2, 2};
  check_alike(one, u, solved(e, plan, v, 2), v);
}

TEST_CASE("bricks that cannot be are refused with what to change") {
  const gmg::Equation e = gmg::helmholtz(box_of({{20, 20, 20}, "dirichlet", {}}));
  const auto refused = [&](const gmg::Equation& equation, const gmg::Plan& plan) {
    return test::message([&] { gmg::Solver(equation, plan); });
  };
  gmg::Plan plan;
  plan.bricks = {4, 4, 4};
  CHECK(refused(e, plan).find("a brick needs at least 6 cells") != std::string::npos);
  plan.bricks = {2, 2};
  CHECK(refused(e, plan).find("give one number, at least 1, for each axis") != std::string::npos);
  plan.bricks = {2, 1, 1}, plan.mixed = true;
  CHECK(refused(e, plan).find("leave out mixed, or bricks") != std::string::npos);
  plan.mixed = false, plan.smoother = gmg::Smoother::chebyshev;
  CHECK(refused(e, plan).find("smoothed by colours, not by chebyshev") != std::string::npos);
}

}  // namespace gmg_bricks_test
