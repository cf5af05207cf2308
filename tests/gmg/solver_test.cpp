// Whole solves: factors of cycles, singular problems, and what goes wrong.
#include <doctest/doctest.h>

#include <numbers>

#include "gmg/solver.hpp"
#include "tests/gmg/random_equation.hpp"
#include "tests/message.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_solver_test {
namespace {

using gmg::Axis;

/// amplitude < 1: 1 plus a wave; else e to it times a wave. Periodic in the unit cube.
gmg::Solver::Sampler wave(double amplitude) {
  return [=](std::span<const double> x) {
    double w = 1;
    for (std::size_t d = 0; d < x.size(); ++d)
      w *= std::sin(2 * std::numbers::pi * x[d] + 0.3 + 0.4 * static_cast<double>(d));
    return amplitude < 1 ? 1 + amplitude * w : std::exp(amplitude * w);
  };
}

gmg::Domain box_with(const std::vector<std::int64_t>& cells, const std::string& faces) {
  std::vector<double> spacings;
  for (const auto n : cells) spacings.push_back(1.0 / static_cast<double>(n));
  gmg::Domain box(cells, {.spacings = spacings});
  for (std::size_t a = 0; a < cells.size(); ++a)
    for (const bool high : {false, true}) {
      gmg::Condition& c = box.face({static_cast<Axis>(a), high});
      const std::string kind = faces != "mixed" ? faces
                               : a == 0         ? "dirichlet"
                               : a == 1         ? (high ? "neumann" : "robin")
                                                : "periodic";
      if (kind == "neumann") c = gmg::neumann();
      if (kind == "robin") c = gmg::robin(1, 0.5);
      if (kind == "periodic") box.periodic(static_cast<Axis>(a));
    }
  return box;
}

gmg::Report to_1e_10(gmg::Solver& solver) {
  std::mt19937 random(1);
  const Field f = random_field(random, solver.equation().domain().count());
  Field u(f.size(), 0);
  gmg::Report r = solver.solve(f, u, {.relative = 1e-10, .cycles = 30});
  CHECK_MESSAGE(r.converged(), r.text());
  return r;
}

double factor(const gmg::Domain& box, const gmg::Plan& plan, double amplitude) {
  gmg::Solver solver(gmg::helmholtz(box), plan);
  for (const gmg::Coefficient& c : solver.equation().coefficients()) solver.set(c.name, wave(amplitude));
  return to_1e_10(solver).mean_factor();
}

}  // namespace

TEST_CASE("V cycles with red-black Gauss-Seidel, variable coefficients: factors for every kind of face") {
  for (const char* faces : {"dirichlet", "neumann", "periodic", "robin", "mixed"}) {
    CAPTURE(std::string(faces));
    CHECK(factor(box_with({16, 16, 16}, faces), {.weight = 1.2}, 0.3) < 0.05);
    CHECK(factor(box_with({16, 16, 16}, faces), {.down = 1, .up = 1, .weight = 1.2}, 0.3) < 0.09);
  }
  const gmg::Domain walls = box_with({16, 16, 16}, "neumann"), values = box_with({16, 16, 16}, "dirichlet");
  CHECK(factor(walls, {.weight = 1}, 0.3) < 1.05 * factor(values, {.weight = 1}, 0.3));
}

TEST_CASE("contrast e^4: corrections go as far as leaves the least energy, in f64 and in f32") {
  const gmg::Plan whole{.weight = 1.2, .corrections = gmg::Corrections::whole};
  for (const char* faces : {"dirichlet", "neumann", "periodic"}) {
    CAPTURE(std::string(faces));
    const gmg::Domain box = box_with({32, 32, 32}, faces);
    const double best = factor(box, {.weight = 1.2}, 2);
    CHECK(best < 0.05);
    CHECK(best < 0.7 * factor(box, whole, 2));
    CHECK(factor(box, {.weight = 1.2, .mixed = true}, 2) < 0.05);
  }
  CHECK(factor(box_with({24, 30, 37}, "mixed"), {}, 2) < 0.08);
  CHECK(factor(box_with({32, 32}, "periodic"), {.cycle = gmg::CycleKind::W, .full_start = true}, 2) < 0.06);
}

TEST_CASE("corrections are whole where coefficients vary little, have both signs, or A is not symmetric") {
  using Set = std::function<void(gmg::Solver&)>;
  const gmg::Domain box = box_with({32, 32}, "mixed");
  const gmg::Equation poisson = gmg::helmholtz(box), growth = gmg::helmholtz(box, {.a = 1});
  const gmg::Equation no_flux = gmg::equation(box, {gmg::cells("c")}, [](const gmg::Point& at) {
    const Expr q = at.per_spacing(Axis::i), p = at.per_spacing(Axis::j);
    return at.cell("c") * (q * q * (2.0 * at.u() - at.u({0, 1}) - at.u({0, -1})) +
                           p * p * (2.0 * at.u() - at.u({1, 0}) - at.u({-1, 0})));
  });
  const auto both_signs = [](std::span<const double> x) {
    return 3.9 + 5 * std::sin(9 * x[0]) * std::cos(7 * x[1]);
  };
  const std::vector<std::tuple<gmg::Equation, Set, bool>> all{
      {poisson, [](gmg::Solver& s) { s.set("beta_i", 7.0); }, false},
      {poisson, [](gmg::Solver& s) { s.set("beta_i", wave(0.5)).set("beta_j", wave(0.5)); }, false},
      {poisson, [](gmg::Solver& s) { s.set("beta_i", wave(0.7)).set("beta_j", wave(0.7)); }, true},
      {growth, [&](gmg::Solver& s) { s.set("alpha", gmg::Solver::Sampler(both_signs)); }, false},
      {no_flux, [](gmg::Solver& s) { s.set("c", wave(2)); }, false}};
  for (const auto& [equation, set, takes] : all) {
    CAPTURE(equation.coefficients()[0].name);
    gmg::Solver own(equation, {.bottom_cells = 16}),
        whole(equation, {.bottom_cells = 16, .corrections = gmg::Corrections::whole});
    set(own), set(whole);
    const bool same = to_1e_10(own).history == to_1e_10(whole).history;
    CHECK(own.hierarchy().takes_best_steps() == takes);
    CHECK(same == !takes);
    CHECK_FALSE(whole.hierarchy().takes_best_steps());
  }
}

TEST_CASE("the coarsest level of an A that is not symmetric is solved by BiCGStab") {
  // -u'' with the wind along j, upwind: 1024 cells at the bottom, too many for dense factors.
  const gmg::Domain box = box_with({64, 64}, "dirichlet"), walls = box_with({64, 64}, "periodic");
  const auto wind = [](const gmg::Domain& domain) {
    return gmg::equation(domain, [](const gmg::Point& at) {
      const Expr j = at.per_spacing(Axis::j), i = at.per_spacing(Axis::i);
      return j * j * (2.0 * at.u() - at.u({1, 0}) - at.u({-1, 0})) +
             i * i * (2.0 * at.u() - at.u({0, 1}) - at.u({0, -1})) + 40.0 * j * (at.u() - at.u({-1, 0}));
    });
  };
  for (const gmg::Domain& domain : {box, walls}) {
    gmg::Solver solver(wind(domain), {.ratios = {{2, 2}}});
    std::mt19937 random(2);
    const Field f = random_field(random, domain.count());
    Field u(f.size(), 0);
    const gmg::Report r = solver.solve(f, u, {.relative = 1e-9});
    CHECK(solver.hierarchy().bottom() == gmg::Bottom::bicgstab);
    CHECK_MESSAGE(r.converged(), r.text());
    CHECK(r.mean_factor() < 0.15);
  }
  // Of a symmetric one as good as conjugate gradients, where asked for.
  CHECK(factor(box_with({24, 20}, "mixed"), {.bottom = gmg::Bottom::bicgstab, .bottom_cells = 200}, 0.3) <
        0.1);
}

TEST_CASE("odd and uneven boxes, ratios of 3, other cycles and smoothers") {
  CHECK(factor(box_with({13, 18, 15}, "dirichlet"), {.weight = 1.2}, 0.3) < 0.06);
  CHECK(factor(box_with({18, 18}, "mixed"), {.ratios = {{3, 3}, {2, 2}}}, 0.3) < 0.3);
  // Spacings by 4: j is kept until those of i are as large, and no weight is needed for it.
  const gmg::Domain flat = box_with({16, 64}, "dirichlet");
  CHECK(gmg::suggested_ratios(gmg::helmholtz(flat), flat) == gmg::Ratios{1, 2});
  CHECK(factor(flat, {.bottom_cells = 32}, 0.3) < 0.07);
  const gmg::Domain plane = box_with({24, 24}, "mixed");
  const double v = factor(plane, {}, 0.3);
  CHECK(v < 0.1);
  CHECK(factor(plane, {.cycle = gmg::CycleKind::W}, 0.3) < 1.01 * v);
  CHECK(factor(plane, {.cycle = gmg::CycleKind::F}, 0.3) < 1.01 * v);
  CHECK(factor(plane, {.full_start = true}, 0.3) < 0.1);
  CHECK(factor(plane, {.smoother = gmg::Smoother::jacobi}, 0.3) < 0.4);
  CHECK(factor(plane, {.smoother = gmg::Smoother::chebyshev}, 0.3) < 0.3);
  CHECK(factor(plane, {.bottom = gmg::Bottom::conjugate_gradients, .bottom_cells = 200}, 0.3) < 0.1);
  CHECK(factor(plane, {.bottom = gmg::Bottom::sweeps, .bottom_cells = 40}, 0.3) < 0.1);
  CHECK(factor(box_with({21, 20}, "periodic"), {}, 0.3) < 0.4);  // no colours around 21 cells
}

TEST_CASE("an operator of the user's with 27 points, on faces of all kinds, against the dense solution") {
  std::mt19937 random(4);
  const gmg::Domain domain = random_domain(random, {6, 5, 8});
  const RandomEquation e = random_equation(random, domain, 1, true);
  gmg::Solver solver(e.equation, {.ratios = {{2, 2, 2}}});
  for (const auto& [name, values] : e.coefficients) solver.set(name, values);
  const Field f = random_field(random, domain.count());
  Field u(f.size(), 0);
  const gmg::Report r = solver.solve(f, u, {.relative = 1e-12});
  CHECK_MESSAGE(r.converged(), r.text());
  const Dense a = dense(domain, e.stencil);
  Field exact = f;
  for (std::size_t i = 0; i < a.n; ++i) exact[i] -= a.shift[i];
  gmg::DenseFactors(a.a, a.n).solve(exact);
  CHECK(largest_difference(a.times(exact), [&] {
          Field b = f;
          for (std::size_t i = 0; i < a.n; ++i) b[i] -= a.shift[i];
          return b;
        }()) < 1e-11);
  CHECK(largest_difference(u, exact) < 1e-10);
}

TEST_CASE("coefficients change without new kernels; a solve goes on from the first guess") {
  const gmg::Domain box = box_with({16, 16}, "dirichlet");
  gmg::Solver solver(gmg::helmholtz(box, {.a = 1}));
  std::mt19937 random(2);
  const Field f = random_field(random, box.count());
  Field u(f.size(), 0), again;
  solver.set("alpha", 2.0);
  CHECK(solver.solve(f, u).converged());
  again = u;
  CHECK(solver.solve(f, again).cycles() == 0);
  solver.set("alpha", 40.0).set("b", 3.0);
  CHECK(solver.solve(f, again).cycles() > 2);
  solver.set("alpha", 2.0).set("b", 1.0);
  CHECK(solver.solve(f, again, {.relative = 1e-10}).converged());
  CHECK(largest_difference(again, u) < 1e-7);
}

TEST_CASE("singular problems: means are removed, and that is said") {
  const gmg::Domain box = box_with({16, 12}, "neumann");
  gmg::Solver solver(gmg::helmholtz(box));
  std::mt19937 random(3);
  Field f = random_field(random, box.count(), 0.5, 1), u(f.size(), 7);
  gmg::Report r = solver.solve(f, u);
  CHECK_MESSAGE(r.converged(), r.text());
  CHECK(std::abs(gmg::mean(u)) < 1e-12);
  CHECK(r.text().find("A is singular") != std::string::npos);
  CHECK(r.text().find("it was removed") != std::string::npos);
  gmg::remove_mean(f);
  r = solver.solve(f, u);
  CHECK(r.text().find("it was removed") == std::string::npos);
  // Neither flux form nor a value anywhere: no statement about which f have a solution.
  gmg::Solver one_way(gmg::equation(box_with({8}, "periodic"), {gmg::cells("c")}, [](const gmg::Point& at) {
    return at.cell("c") * (2 * at.u() - at.u({-1}) - at.u({1}));
  }));
  one_way.set("c", wave(0.5));
  Field g(8, 1), v(8, 0);
  CHECK(test::message([&] { one_way.solve(g, v); }).find("differences of fluxes") != std::string::npos);
}

TEST_CASE("what goes wrong is said in a sentence, and the best iterate is kept") {
  const gmg::Domain box = box_with({16, 16}, "dirichlet");
  std::mt19937 random(5);
  const Field f = random_field(random, box.count());
  Field u(f.size(), 0);
  using Status = gmg::Report::Status;

  gmg::Solver solver(gmg::helmholtz(box));
  gmg::Report r = solver.solve(f, u, {.relative = 1e-10, .cycles = 2});
  CHECK(r.status == Status::cycles_used_up);
  CHECK(r.text().find("Not converged after 2 cycles") != std::string::npos);
  r = solver.solve(f, u, {.relative = 0, .cycles = 40});
  CHECK(r.status == Status::stagnated);
  CHECK(r.text().find("as small as rounding lets it be") != std::string::npos);
  Field not_finite = f;
  not_finite[17] = NAN;
  for (const gmg::Norm norm : {gmg::Norm::rms, gmg::Norm::max}) {
    r = solver.solve(not_finite, u, {.norm = norm});
    CHECK(r.status == Status::not_finite);
    CHECK(r.cycles() == 0);
  }
  // A relaxation that amplifies: the first guess is still the best.
  gmg::Solver wild(gmg::helmholtz(box),
                   {.smoother = gmg::Smoother::jacobi, .down = 8, .up = 8, .weight = 1.9});
  Field guess(f.size(), 0.5);
  const Field first = guess;
  r = wild.solve(f, guess);
  CHECK(r.status == Status::diverged);
  CHECK(guess == first);

  solver.set("beta_i", -1.0);
  CHECK(test::message([&] { solver.solve(f, u); }).find("A's diagonal is") != std::string::npos);
  CHECK(test::message([&] { solver.set("gamma", 1.0); }).find("it has beta_j, beta_i") != std::string::npos);
  CHECK(test::message([&] { solver.set("beta_i", f); }).find("16x17 elements, but 256 are given") !=
        std::string::npos);
  CHECK(test::message([&] {
          Field small(3);
          solver.solve(f, small);
        }).find("u 3, the domain has 256 cells") != std::string::npos);
  CHECK(test::message([&] {
          gmg::Solver(gmg::helmholtz(box), {.ratios = {{3, 3}}});
        }).find("16 cells by 3") != std::string::npos);
  CHECK(test::message([&] { gmg::Solver(gmg::helmholtz(box), {.down = 0, .up = 0}); }).find("at least one") !=
        std::string::npos);
  gmg::Solver thin(gmg::helmholtz(box_with({2, 2}, "dirichlet")), {.bottom_cells = 1});
  Field four(4, 1), solution(4, 0);
  r = thin.solve(four, solution);
  CHECK(r.converged());
  CHECK(r.text().find("cannot be joined any further") != std::string::npos);
}

TEST_CASE("a solve shows its best iterate every so many cycles, from which another goes on alike") {
  for (const bool mixed : {false, true}) {
    CAPTURE(mixed);
    gmg::Solver solver(gmg::helmholtz(gmg::Domain({24, 20}), {.variable = false}),
                       {.mixed = mixed, .inner = 1});
    const Field f(480, 1);
    Field u(480, 0), at_4;
    std::vector<int> shown;
    gmg::Goal goal{.relative = 1e-9};
    goal.every = 2;
    goal.each = [&](int cycles, std::span<const double> now) {
      shown.push_back(cycles);
      if (cycles == 4) at_4.assign(now.begin(), now.end());
    };
    const gmg::Report whole = solver.solve(f, u, goal);
    REQUIRE(shown.size() >= 2);
    CHECK(shown[0] == 2);
    CHECK(shown[1] == 4);
    goal.every = 0;
    const gmg::Report after = solver.solve(f, at_4, goal);
    REQUIRE(after.converged());
    REQUIRE(whole.history.size() > 4);
    CHECK(std::abs(after.history[0] - whole.history[4]) < 1e-3 * whole.history[4] + 1e-14);
    CHECK(after.cycles() <= whole.cycles() - 4 + 1);
    // What it throws ends the solve.
    goal.every = 1;
    goal.each = [](int, std::span<const double>) { throw UserError("enough"); };
    Field v(480, 0);
    CHECK_THROWS_AS(solver.solve(f, v, goal), UserError);
  }
  gmg::Solver solver(gmg::helmholtz(gmg::Domain({8, 8}), {.variable = false}));
  Field f(64, 1), u(64, 0);
  gmg::Goal goal;
  goal.every = -1;
  CHECK_THROWS_AS(solver.solve(f, u, goal), UserError);
}

TEST_CASE("cycles are lists of legs") {
  using gmg::CycleKind;
  CHECK(str(gmg::cycle_steps(CycleKind::V, 3)) == "down 0, down 1, bottom 2, up 1, up 0");
  CHECK(str(gmg::cycle_steps(CycleKind::W, 3)) ==
        "down 0, down 1, bottom 2, up 1, down 1, bottom 2, up 1, up 0");
  CHECK(
      str(gmg::cycle_steps(CycleKind::F, 4)) ==
      "down 0, down 1, down 2, bottom 3, up 2, down 2, bottom 3, up 2, up 1, down 1, down 2, bottom 3, up 2, "
      "up 1, up 0");
  CHECK(str(gmg::cycle_steps(CycleKind::K, 3)) ==
        "down 0, down 1, bottom 2, up 1, first 1, down 1, bottom 2, up 1, second 1, up 0");
  CHECK(str(gmg::full_start_steps(CycleKind::V, 2)) ==
        "restrict f 0, bottom 1, interpolate 0, down 0, bottom 1, up 0");
}

TEST_CASE("a cycle of one's own is a list, too: as ours it has its history; what is no cycle is refused") {
  const auto history = [](const gmg::Plan& plan) {
    gmg::Solver solver(gmg::helmholtz(box_with({48, 40}, "mixed")), plan);
    for (const gmg::Coefficient& c : solver.equation().coefficients()) solver.set(c.name, wave(0.3));
    return to_1e_10(solver).history;
  };
  gmg::Plan listed;
  listed.steps = "down 0, down 1, bottom 2, up 1, down 1, bottom 2, up 1, up 0";
  CHECK(history(listed).size() <= history({}).size());
  listed.steps = "down 0, down 1, bottom 2, up 1, up 0";
  CHECK(history(listed) == history({}));
  listed.steps = str(gmg::cycle_steps(gmg::CycleKind::K, 3));
  CHECK(history(listed) == history({.cycle = gmg::CycleKind::K}));
  const auto refused = [](const std::string& steps) {
    gmg::Plan plan;
    plan.steps = steps;
    return test::message([&] { (void)gmg::cycle_steps(plan, 3); });
  };
  CHECK(refused("down 0, bottom 2, up 0").find("'bottom 2': the steps before it have come to level 1") !=
        std::string::npos);
  CHECK(refused("down 0, down 1, bottom 2, up 1").find("it does not come back to level 0") !=
        std::string::npos);
  CHECK(refused("down 0, up 0").find("'up 0': nothing was found there yet") != std::string::npos);
  CHECK(refused("down 3").find("no level 3; they are 0 to 2") != std::string::npos);
  CHECK(refused("sideways 0").find("no such leg; down, bottom, up, first, second") != std::string::npos);
  CHECK(refused("down 0, down 1, bottom 2, up 1, first 1, down 1, bottom 2, up 1, up 0")
            .find("'second' is missing on level 1") != std::string::npos);
}

TEST_CASE("K cycles follow coefficients that jump by e^14 from block to block; V cycles do not") {
  const std::int64_t n = 64;
  const auto b = [](std::int64_t j, std::int64_t i) {
    return std::exp(7 * std::sin(37.0 * static_cast<double>(j / 4) + 61.0 * static_cast<double>(i / 4)));
  };
  Field beta_j, beta_i;  // harmonic means; at the faces the cell's own
  for (std::int64_t j = 0; j <= n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const double low = b(std::max<std::int64_t>(j - 1, 0), i), high = b(std::min(j, n - 1), i);
      beta_j.push_back(2 * low * high / (low + high));
    }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i <= n; ++i) {
      const double low = b(j, std::max<std::int64_t>(i - 1, 0)), high = b(j, std::min(i, n - 1));
      beta_i.push_back(2 * low * high / (low + high));
    }
  const auto cycles = [&](gmg::CycleKind kind, gmg::Corrections corrections) {
    gmg::Solver solver(gmg::helmholtz(box_with({n, n}, "dirichlet")),
                       {.cycle = kind, .corrections = corrections});
    solver.set("beta_j", std::span<const double>(beta_j)).set("beta_i", std::span<const double>(beta_i));
    std::mt19937 random(1);
    const Field f = random_field(random, n * n);
    Field u(f.size(), 0);
    const gmg::Report r = solver.solve(f, u, {.relative = 1e-8, .cycles = 60});
    return r.converged() ? r.cycles() : 1000;
  };
  const int v = cycles(gmg::CycleKind::V, gmg::Corrections::whole);
  const int k = cycles(gmg::CycleKind::K, gmg::Corrections::automatic);
  CAPTURE(v);
  CHECK(k < 25);
  CHECK(2 * k <= v);
}

}  // namespace gmg_solver_test
