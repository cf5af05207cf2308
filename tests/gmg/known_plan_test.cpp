// What tuning finds is kept, and found again for the same operator, cells, faces and machine alone.
#include <doctest/doctest.h>

#include <filesystem>

#include "gmg/known_plan.hpp"
#include "gmg/plan_text.hpp"
#include "gmg/solver.hpp"
#include "tests/gmg/dense.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/database/database.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_known_plan_test {
namespace {

gmg::Domain box_of(const std::vector<std::int64_t>& cells, double spacing_k = 1.0 / 16) {
  return gmg::Domain(cells, {.spacings = {spacing_k, 1.0 / 16}});
}

gmg::Plan unusual() {
  gmg::Plan p;
  p.cycle = gmg::CycleKind::F, p.smoother = gmg::Smoother::jacobi, p.down = 3, p.up = 0, p.weight = 1.0 / 3;
  p.ratios = {{2, 1}, {3, 2}}, p.bottom = gmg::Bottom::bicgstab, p.bottom_cells = 77, p.bottom_sweeps = 5;
  p.passes = gmg::Passes::each, p.corrections = gmg::Corrections::whole;
  p.mixed = true, p.inner = 2, p.full_start = true;
  p.kernels["0123"] = "";
  return p;
}

}  // namespace

TEST_CASE("plans as text and back; what is no plan is refused with its line") {
  const gmg::Plan p = unusual(), q = gmg::read_plan(gmg::plan_text(p));
  CHECK(gmg::plan_text(q) == gmg::plan_text(p));
  CHECK(q.cycle == p.cycle);
  CHECK(q.smoother == p.smoother);
  CHECK(q.down == 3);
  CHECK(q.up == 0);
  CHECK(q.weight == p.weight);
  CHECK(q.ratios == p.ratios);
  CHECK(q.bottom == p.bottom);
  CHECK(q.bottom_cells == 77);
  CHECK(q.bottom_sweeps == 5);
  CHECK(q.passes == p.passes);
  CHECK(q.corrections == p.corrections);
  CHECK(q.mixed);
  CHECK(q.inner == 2);
  CHECK(q.full_start);
  CHECK(q.kernels == p.kernels);
  CHECK(gmg::plan_text({}) == "end\n");
  for (const char* text : {"", "down 3\n", "down three\nend\n", "depth 3\nend\n", "mixed perhaps\nend\n",
                           "cycle Z\nend\n", "down 0\nup 0\nend\n", "weight 9\nend\n", "kernel 01\nend\n",
                           "kernel 01 2\nnothing\nend\n", "ratios 2,x\nend\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)gmg::read_plan(text), UserError);
  }
  CHECK(lift::test::message([] { (void)gmg::read_plan("up 1\ndown three\nend\n"); }).find("'down three'") !=
        std::string::npos);
  // What is asked for goes before what was found.
  gmg::Plan asked;
  asked.down = 1, asked.mixed = true;
  const gmg::Plan both = gmg::merged(asked, p);
  CHECK(both.down == 1);
  CHECK(both.up == 0);
  CHECK(both.kernels == p.kernels);
}

TEST_CASE("tuned plans are found again for the same operator, cells and faces, by a solver that asks") {
  const lift::test::Scratch scratch;
  const std::string file = (scratch.path() / "found.db").string();
  const gmg::Equation a = gmg::helmholtz(box_of({24, 20}));
  CHECK_FALSE(gmg::known_plan(a, file));
  std::vector<std::string> lines;
  {
    gmg::Solver solver(a, {.down = 1, .up = 3, .passes = gmg::Passes::together});
    lines = solver.tune(3, file);
    REQUIRE(solver.plan().kernels.size() >= 2);
  }
  const auto known = gmg::known_plan(a, file);
  REQUIRE(known);
  CHECK(known->plan.down == 1);
  CHECK(known->plan.up == 3);
  CHECK(known->plan.kernels.size() >= 2);
  CHECK(known->origin.find("V(1,3)") != std::string::npos);
  // Not for other cells, faces, couplings, operators; nor where there is no database.
  CHECK_FALSE(gmg::known_plan(gmg::helmholtz(box_of({24, 22})), file));
  gmg::Domain neumann = box_of({24, 20}), robin = neumann;
  neumann.face(gmg::Face{gmg::Axis::i, false}) = gmg::neumann(),
                                       robin.face(gmg::Face{gmg::Axis::i, false}) = gmg::robin(1, 1);
  CHECK_FALSE(gmg::known_plan(gmg::helmholtz(neumann), file));
  CHECK_FALSE(gmg::known_plan(gmg::helmholtz(robin), file));
  CHECK_FALSE(gmg::known_plan(gmg::helmholtz(box_of({24, 20}, 1.0 / 160)), file));
  CHECK_FALSE(gmg::known_plan(gmg::helmholtz(box_of({24, 20}), {.variable = false}), file));
  CHECK_FALSE(gmg::known_plan(a, "none"));
  CHECK(gmg::known_plan(gmg::helmholtz(box_of({24, 20}, 1.0 / 16), {.b = 3}), file));

  const Field f(480, 1);
  const auto solved = [&](const gmg::Plan& plan) {
    gmg::Solver solver(a, plan);
    for (const gmg::Coefficient& c : a.coefficients()) solver.set(c.name, 1.0);
    Field u(f.size(), 0);
    return solver.solve(f, u);
  };
  const gmg::Report usual = solved({}), tuned = solved({.tuned = true, .database = file}),
                    mine = solved({.up = 1, .tuned = true, .database = file});
  CHECK(usual.plan.starts_with("V(2,2)"));
  CHECK(tuned.plan.starts_with("V(1,3)"));
  CHECK(mine.plan.starts_with("V(1,1)"));
  REQUIRE(tuned.notes.size() == 1);
  CHECK(tuned.notes[0].starts_with("Begun with what was tuned on "));
  CHECK(tuned.converged());

  // Plans that were tried are found likewise; kernels stay.
  gmg::Solver trying(a, {.tuned = true, .database = file});
  for (const gmg::Coefficient& c : a.coefficients()) trying.set(c.name, 1.0);
  (void)trying.tune_plan(f, {.relative = 1e-8}, 0.1, file);
  REQUIRE(gmg::known_plan(a, file));
  CHECK(gmg::known_plan(a, file)->plan.down == trying.plan().down);
  CHECK(gmg::known_plan(a, file)->plan.kernels == known->plan.kernels);

  // One that is damaged, or of other rules: a solver goes on without it, or without its kernels.
  const auto damage = [&](const auto& change) {
    std::vector<SolverRecord> all = Database(file, Database::Access::read).solvers();
    REQUIRE(all.size() == 1);
    change(all[0]);
    Database(file, Database::Access::write).keep(all[0]);
  };
  damage([](SolverRecord& r) { r.platform.rules = "others"; });
  REQUIRE(gmg::known_plan(a, file));
  CHECK(gmg::known_plan(a, file)->plan.kernels.empty());
  damage([](SolverRecord& r) { r.plan = "kernel 01 1\nno step\nend\n"; });
  CHECK_FALSE(gmg::known_plan(a, file));
  CHECK(solved({.tuned = true, .database = file}).plan == usual.plan);
  damage([](SolverRecord& r) { r.platform.threads += 1; });
  CHECK_FALSE(gmg::known_plan(a, file));
}

}  // namespace gmg_known_plan_test
