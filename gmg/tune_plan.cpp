#include "gmg/tune_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gmg/clock.hpp"
#include "runtime/interrupt.hpp"

namespace lift::gmg {
namespace {

constexpr int kMostSweeps = 5, kMostInner = 3;
constexpr int kFewestSolves = 2, kMostSolves = 12;  ///< of a plan ...
constexpr double kEnoughMs = 100;                   ///< ... so long together, or as long as its set-up took
constexpr std::size_t kFinalists = 6;  ///< whose neighbours are tried, and which are timed once more
constexpr int kRounds = 40;
constexpr double kOutOfReach = 1.15;  ///< times the fastest, after four rounds: not timed again
constexpr double kSearching = 0.7;    ///< of the time, before that

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
  double all = 0, enough = kEnoughMs;
  for (int solve = 0; solve < kFewestSolves || (solve < kMostSolves && all < enough); ++solve) {
    std::fill(u.begin(), u.end(), 0.0);
    const Report r = solver.solve(f, u, goal);
    if (solve == 0) enough = std::max(enough, r.setup_ms - r.kernels_ms);
    t.ms = solve == 0 ? r.ms : std::min(t.ms, r.ms), all += r.ms;
    t.cycles = r.cycles(), t.reached = r.converged();
    if (!t.reached) break;
  }
  return t;
}

namespace {

/// The fastest of the first few whose neighbours are not tried yet; none: `all` has no such.
std::optional<Plan> next_to_expand(std::vector<PlanTrial> all, const std::vector<Plan>& expanded) {
  std::stable_sort(all.begin(), all.end(), is_better);
  for (std::size_t i = 0; i < std::min(all.size(), kFinalists); ++i)
    if (std::none_of(expanded.begin(), expanded.end(), [&](const Plan& p) { return alike(p, all[i].plan); }))
      return all[i].plan;
  return std::nullopt;
}

/// Once more the fastest ones, in turns: what was tried while the machine was disturbed may be as fast.
void time_in_turns(std::vector<PlanTrial>& all, const MakeSolver& make, std::span<const double> f,
                   const Goal& goal, const std::function<bool()>& ends) {
  std::vector<PlanTrial*> best;
  for (PlanTrial& t : all)
    if (t.reached) best.push_back(&t);
  std::stable_sort(best.begin(), best.end(),
                   [](const PlanTrial* a, const PlanTrial* b) { return is_better(*a, *b); });
  best.resize(std::min(best.size(), kFinalists));
  for (int round = 0; round < kRounds && best.size() > 1; ++round) {
    for (PlanTrial* t : best) {
      if (ends()) return;
      t->ms = std::min(t->ms, try_plan(t->plan, make, f, goal).ms);
    }
    if (round < 3) continue;
    double least = best[0]->ms;
    for (const PlanTrial* t : best) least = std::min(least, t->ms);
    std::erase_if(best, [&](const PlanTrial* t) { return t->ms > kOutOfReach * least; });
  }
}

}  // namespace

std::vector<PlanTrial> try_plans(const Plan& start, const MakeSolver& make, std::span<const double> f,
                                 const Goal& goal, double seconds) {
  const auto begun = Clock::now();
  const auto ends = [&](double share) { return ms_since(begun) > 1e3 * share * seconds || interrupted(); };
  std::vector<PlanTrial> all{try_plan(start, make, f, goal)};
  std::vector<Plan> expanded;
  while (const auto from = next_to_expand(all, expanded)) {
    bool faster = false;
    for (const Plan& p : neighbours(*from)) {
      if (ends(kSearching)) break;
      if (std::any_of(all.begin(), all.end(), [&](const PlanTrial& t) { return alike(t.plan, p); })) continue;
      const PlanTrial& best = *std::min_element(all.begin(), all.end(), is_better);
      const PlanTrial tried = try_plan(p, make, f, goal);
      faster = is_better(tried, best);
      all.push_back(tried);
      if (faster) break;  // its neighbours, first of all
    }
    if (ends(kSearching)) break;
    if (!faster) expanded.push_back(*from);
  }
  time_in_turns(all, make, f, goal, [&] { return ends(1); });
  return all;
}

}  // namespace lift::gmg
