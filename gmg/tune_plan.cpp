#include "gmg/tune_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gmg/clock.hpp"
#include "runtime/interrupt.hpp"

namespace lift::gmg {
namespace {

constexpr int kMostSweeps = 5, kMostInner = 3;

std::vector<Plan> neighbours(const Plan& p) {
  std::vector<Plan> all;
  const auto with = [&](const auto& change) {
    Plan q = p;
    change(q);
    all.push_back(q);
  };
  with([](Plan& q) { q.mixed = !q.mixed; });
  with([](Plan& q) { ++q.down; });
  with([](Plan& q) { ++q.up; });
  with([](Plan& q) { --q.down; });
  with([](Plan& q) { --q.up; });
  if (p.mixed)
    for (int inner = 1; inner <= kMostInner; ++inner) with([&](Plan& q) { q.inner = inner; });
  std::erase_if(all, [](const Plan& q) {
    return std::min(q.down, q.up) < 0 || std::max(q.down, q.up) > kMostSweeps || q.down + q.up == 0;
  });
  return all;
}

bool alike(const Plan& a, const Plan& b) {
  return a.down == b.down && a.up == b.up && a.mixed == b.mixed && (a.inner == b.inner || !a.mixed);
}

}  // namespace

bool is_better(const PlanTrial& a, const PlanTrial& b) { return a.reached && (!b.reached || a.ms < b.ms); }

std::string str(const PlanTrial& t) {
  return fmt::format("{}: {}{:.1f} ms, {} cycles", str(t.plan), t.reached ? "" : "not to the goal, ", t.ms,
                     t.cycles);
}

PlanTrial try_plan(const Plan& plan, const MakeSolver& make, std::span<const double> f, const Goal& goal) {
  Solver solver = make(plan);
  std::vector<double> u(f.size());
  PlanTrial t{plan};
  for (int solve = 0; solve < 2; ++solve) {
    std::fill(u.begin(), u.end(), 0.0);
    const Report r = solver.solve(f, u, goal);
    t.ms = solve == 0 ? r.ms : std::min(t.ms, r.ms);
    t.cycles = r.cycles(), t.reached = r.converged();
    if (!t.reached) break;
  }
  return t;
}

std::vector<PlanTrial> try_plans(const Plan& start, const MakeSolver& make, std::span<const double> f,
                                 const Goal& goal, double seconds) {
  const auto begun = Clock::now();
  std::vector<PlanTrial> all{try_plan(start, make, f, goal)};
  std::size_t best = 0;
  for (bool found = true; found;) {
    found = false;
    for (const Plan& p : neighbours(all[best].plan)) {
      if (ms_since(begun) > 1e3 * seconds || interrupted()) return all;
      if (std::any_of(all.begin(), all.end(), [&](const PlanTrial& t) { return alike(t.plan, p); })) continue;
      all.push_back(try_plan(p, make, f, goal));
      if (!is_better(all.back(), all[best])) continue;
      best = all.size() - 1, found = true;
      break;  // its neighbours, first of all
    }
  }
  return all;
}

}  // namespace lift::gmg
