// Plans that change speed alone: histories are those of sweeps one by one; cycles in f32 reach what f64 does.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <filesystem>

#include "gmg/tune_plan.hpp"
#include "runtime/affinity.hpp"
#include "runtime/parallel.hpp"
#include "tests/gmg/random_equation.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_plans_test {
namespace {

using gmg::Axis;

struct Case {
  std::vector<std::int64_t> cells;
  std::string faces;
};

gmg::Domain box_of(const Case& c) {
  gmg::Domain box(c.cells, {.spacing = 1.0 / 16});
  for (std::size_t d = 0; d < c.cells.size(); ++d) {
    const auto axis = static_cast<Axis>(c.cells.size() - 1 - d);
    for (const bool high : {false, true}) {
      gmg::Condition& at = box.face({axis, high});
      if (c.faces == "mixed") at = d == 0 ? gmg::dirichlet() : high ? gmg::neumann() : gmg::robin(1, 0.5);
      if (c.faces == "neumann") at = gmg::neumann();
    }
    if (c.faces == "periodic") box.periodic(axis);
  }
  return box;
}

gmg::Report solved(const Case& c, const gmg::Plan& plan, double to, std::vector<double>* solution = nullptr,
                   gmg::Norm norm = gmg::Norm::rms) {
  gmg::Solver solver(gmg::helmholtz(box_of(c)), plan);
  std::mt19937 random(2);
  for (const gmg::Coefficient& x : solver.equation().coefficients()) {
    std::vector<double> beta =
        random_field(random, static_cast<std::int64_t>(solver.hierarchy().level(0).array(x.name).size()));
    for (double& b : beta) b = 1 + 0.3 * b;
    if (c.faces == "periodic") std::fill(beta.begin(), beta.end(), 1.5);  // the same at both ends
    solver.set(x.name, std::span<const double>(beta));
  }
  const Field f = random_field(random, box_of(c).count());
  Field u(f.size(), 0);
  const gmg::Report r = solver.solve(f, u, {.relative = to, .cycles = 25, .norm = norm});
  if (solution) solution->assign(u.begin(), u.end());
  return r;
}

/// To 1e-10 of each norm, less what rounding leaves of the first.
void check_same_history(const gmg::Report& expected, const gmg::Report& other) {
  REQUIRE(expected.history.size() == other.history.size());
  for (std::size_t k = 0; k < expected.history.size(); ++k)
    CHECK(std::abs(expected.history[k] - other.history[k]) <=
          1e-10 * expected.history[k] + 1e-13 * expected.history[0]);
}

const std::vector<Case> kCases{{{20, 24, 22}, "dirichlet"}, {{17, 24, 21}, "mixed"},
                               {{16, 20, 12}, "neumann"},   {{16, 16, 20}, "periodic"},
                               {{40, 31}, "mixed"},         {{150}, "mixed"}};

}  // namespace

TEST_CASE("several sweeps, and whole legs, in one pass over memory have the history of sweeps one by one") {
  for (const Case& c : kCases) {
    CAPTURE(c.faces);
    CAPTURE(c.cells.size());
    gmg::Plan plan;
    plan.down = 2, plan.up = 1, plan.passes = gmg::Passes::each;
    const gmg::Report each = solved(c, plan, 1e-8);
    CHECK(each.converged());
    for (const gmg::Passes passes : {gmg::Passes::together, gmg::Passes::legs}) {
      CAPTURE(text(passes));
      plan.passes = passes;
      const gmg::Report together = solved(c, plan, 1e-8);
      check_same_history(each, together);
    }
  }
}

TEST_CASE("whole legs in cycles of every kind, in the largest norm, with steps of least energy") {
  gmg::Plan plan;
  for (const gmg::CycleKind cycle : {gmg::CycleKind::W, gmg::CycleKind::F}) {
    plan.cycle = cycle, plan.full_start = cycle == gmg::CycleKind::F;
    plan.corrections = cycle == gmg::CycleKind::F ? gmg::Corrections::least_energy : gmg::Corrections::whole;
    plan.passes = gmg::Passes::each;
    const gmg::Report each = solved(kCases[0], plan, 1e-8, nullptr, gmg::Norm::max);
    plan.passes = gmg::Passes::legs;
    const gmg::Report legs = solved(kCases[0], plan, 1e-8, nullptr, gmg::Norm::max);
    CHECK(each.converged());
    check_same_history(each, legs);
  }
}

TEST_CASE("kernels as they are written have the history of the others, whatever these do") {
  for (const Case& c : kCases)
    for (const gmg::Smoother smoother :
         {gmg::Smoother::automatic, gmg::Smoother::jacobi, gmg::Smoother::chebyshev}) {
      CAPTURE(c.faces);
      CAPTURE(text(smoother));
      gmg::Plan plan;
      plan.smoother = smoother;
      for (const gmg::CycleKind cycle : {gmg::CycleKind::V, gmg::CycleKind::W}) {
        plan.cycle = cycle, plan.plain = false;
        const gmg::Report as_always = solved(c, plan, 1e-8);
        plan.plain = true;
        const gmg::Report plain = solved(c, plan, 1e-8);
        check_same_history(plain, as_always);
      }
    }
}

TEST_CASE("kernels as they are written are of one thread, without vectors, and no whole legs") {
  gmg::Plan plan;
  plan.plain = true, plan.passes = gmg::Passes::legs;
  gmg::Solver solver(gmg::helmholtz(box_of({{64, 64, 64}, "dirichlet"})), plan);
  std::size_t made = 0;
  for (const gmg::KernelRole& k : solver.hierarchy().roles()) {
    if (!k.kernel->is_made()) continue;
    ++made;
    const std::string& source = k.kernel->get().source();
    CHECK(source.find("omp parallel") == std::string::npos);
    CHECK(source.find("vector_size") == std::string::npos);
    CHECK(k.role != gmg::KernelRole::Role::sweeps);
  }
  CHECK(made > 4);
}

TEST_CASE("one thread and two have one history, to 1e-10") {
  gmg::Plan plan;
  plan.passes = gmg::Passes::together;
  for (const Case& c : {kCases[0], kCases[1], kCases[4]}) {
    CAPTURE(c.faces);
    configure_openmp(1);
    const gmg::Report one = solved(c, plan, 1e-8);
    configure_openmp(2);
    const gmg::Report two = solved(c, plan, 1e-8);
    configure_openmp(0);
    check_same_history(one, two);
  }
}

TEST_CASE("cycles in f32 reach 1e-12, with about the factors of f64") {
  int in_twos = 0;  // cases in which two cycles share a residual in f64; some have no colours, and are in f64
  for (const Case& c : kCases) {
    CAPTURE(c.faces);
    CAPTURE(c.cells.size());
    gmg::Plan plan;
    std::vector<double> u, v;
    const gmg::Report in_f64 = solved(c, plan, 1e-12, &u);
    plan.mixed = true;
    const gmg::Report mixed = solved(c, plan, 1e-12, &v);
    CHECK_MESSAGE(mixed.converged(), mixed.text());
    CHECK(mixed.cycles() <= in_f64.cycles() + 1);
    for (std::size_t k = 1; k < mixed.cycles_at.size(); ++k) {
      const int inner = mixed.cycles_at[k] - mixed.cycles_at[k - 1];
      CHECK(inner >= 1);
      CHECK(inner <= 2);
    }
    REQUIRE(mixed.cycles_at.size() > 1);
    in_twos += mixed.cycles_at[1] == 2;
    CHECK(mixed.history.size() == mixed.cycles_at.size());
    double largest = 0, apart = 0;
    for (std::size_t x = 0; x < u.size(); ++x)
      largest = std::max(largest, std::abs(u[x])), apart = std::max(apart, std::abs(u[x] - v[x]));
    CHECK(apart <= 1e-9 * largest);
    for (const gmg::Passes passes : {gmg::Passes::together, gmg::Passes::legs}) {
      plan.passes = passes;
      const gmg::Report other = solved(c, plan, 1e-12, nullptr, gmg::Norm::max);
      CHECK(other.converged());
      CHECK(other.cycles() <= mixed.cycles() + 1);
    }
  }
  CHECK(in_twos >= 2);
}

TEST_CASE("plans are tried by time to the goal, with the solver's own coefficients") {
  gmg::Solver solver(gmg::helmholtz(gmg::Domain({12, 14, 16}, {.spacing = 1.0 / 16})));
  for (const gmg::Coefficient& c : solver.equation().coefficients())
    solver.set(c.name, [](std::span<const double> x) { return 1 + 0.3 * x[0] * x[1]; });
  const std::vector<double> f(12 * 14 * 16, 1.0);
  std::vector<double> before(f.size()), after(f.size());
  const gmg::Goal goal{.relative = 1e-9};
  REQUIRE(solver.solve(f, before, goal).converged());
  const std::vector<std::string> lines = solver.tune_plan(f, goal, 0.01);  // its own plan, at least
  REQUIRE(!lines.empty());
  CHECK(lines[0].starts_with(gmg::str(solver.plan())));
  CHECK(lines[0].find("not to the goal") == std::string::npos);
  REQUIRE(solver.solve(f, after, goal).converged());
  for (std::size_t x = 0; x < f.size(); ++x)
    REQUIRE(std::abs(after[x] - before[x]) <= 1e-6 * std::abs(before[x]));
  // A plan that never gets there is left for one that does.
  const gmg::PlanTrial slow{gmg::Plan{}, 9, 4, true}, fast{gmg::Plan{}, 1, 4, true},
      never{gmg::Plan{}, 0, 4, false};
  CHECK(gmg::is_better(fast, slow));
  CHECK(!gmg::is_better(never, slow));
  CHECK(gmg::is_better(slow, never));
}

TEST_CASE("cycles in f32 are not there for every smoother, which is said; they begin with full multigrid") {
  gmg::Plan plan;
  plan.mixed = true, plan.smoother = gmg::Smoother::chebyshev;
  const gmg::Report chebyshev = solved(kCases[0], plan, 1e-8);
  CHECK(chebyshev.converged());
  CHECK(chebyshev.text().find("Cycles are in f64: those in f32 need") != std::string::npos);
  plan.smoother = gmg::Smoother::automatic, plan.full_start = true;
  const gmg::Report full = solved(kCases[0], plan, 1e-10);
  CHECK(full.converged());
  CHECK(full.plan.find("cycles in f32") != std::string::npos);
  CHECK(full.table().find("defect") != std::string::npos);
}

TEST_CASE("exploring a cycle's kernels leaves the history as it is, and a second solver finds them") {
  const std::string file = std::string(LIFTGEN_BINARY_DIR) + "/tune_test.db";
  std::filesystem::remove(file);
  gmg::Solver solver(gmg::helmholtz(box_of(kCases[0])), gmg::Plan{.passes = gmg::Passes::together});
  for (const gmg::Coefficient& c : solver.equation().coefficients()) solver.set(c.name, 1.0);
  std::mt19937 random(4);
  const Field f = random_field(random, box_of(kCases[0]).count());
  Field u(f.size(), 0), v(f.size(), 0);
  const gmg::Report before = solver.solve(f, u, {.relative = 1e-8});
  const std::vector<std::string> lines = solver.tune(6, file);
  CHECK(lines.size() >= 3);
  CHECK(std::filesystem::exists(file));
  const gmg::Report after = solver.solve(f, v, {.relative = 1e-8});
  check_same_history(before, after);
}

// Run by itself: a kernel that another test has opened would hide it.
TEST_CASE("kernels made several at once leave all processors to those that call them") {
  const gmg::Report r = solved(kCases[0], {}, 1e-8);
  CHECK(r.converged());
  void* library = ::dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return;  // another compiler's run time
  const auto most = reinterpret_cast<int (*)()>(::dlsym(library, "omp_get_max_threads"));
  REQUIRE(bool(most));
  CHECK(most() == default_threads());
  ::dlclose(library);
}

}  // namespace gmg_plans_test
