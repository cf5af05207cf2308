#include "gmg/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

#include "gmg/boundary_values.hpp"
#include "gmg/chunks.hpp"
#include "gmg/clock.hpp"
#include "gmg/known_plan.hpp"
#include "gmg/plan_text.hpp"
#include "gmg/tune_plan.hpp"
#include "ir/error.hpp"
#include "runtime/interrupt.hpp"

namespace lift::gmg {
namespace {

std::string number(double x) { return fmt::format("{:.3g}", x); }

void copy(std::span<const double> from, std::span<double> to) {
  in_chunks(from.size(), [&](std::size_t begin, std::size_t end) {
    std::memcpy(&to[begin], &from[begin], (end - begin) * sizeof(double));
  });
}

/// Of a chunk after another, each of which stays in the caches.
template <class F>
double norm_of(std::span<const double> x, Norm norm, const F& before) {
  constexpr std::size_t each = 2048;
  double largest = 0, squares = 0;
  std::mutex mutex;
  in_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
    double most = 0, sum = 0;
    for (std::size_t start = begin; start < end; start += each) {
      const std::size_t stop = std::min(end, start + each);
      before(start, stop);
      for (std::size_t i = start; i < stop; ++i) most = std::max(most, std::abs(x[i])), sum += x[i] * x[i];
    }
    const std::lock_guard lock(mutex);
    largest = std::max(largest, most), squares += sum;
  });
  return norm == Norm::max ? largest : std::sqrt(squares / static_cast<double>(x.size()));
}
double norm_of(std::span<const double> x, Norm norm) {
  return norm_of(x, norm, [](std::size_t, std::size_t) {});
}

/// Whether all of it is 0.
bool copy_of_zeros(std::span<const double> from, std::span<double> to) {
  std::atomic<bool> zeros = true;
  in_chunks(from.size(), [&](std::size_t begin, std::size_t end) {
    bool all = true;
    for (std::size_t i = begin; i < end; ++i) all &= from[i] == 0, to[i] = from[i];
    if (!all) zeros = false;
  });
  return zeros;
}

void check_goal(const Goal& g) {
  if (!(g.relative >= 0) || !(g.absolute >= 0) || g.cycles < 0 || g.every < 0)
    throw UserError("gmg::Goal: tolerances and cycles are not negative; relative = " + number(g.relative) +
                    ", absolute = " + number(g.absolute) + ", cycles = " + std::to_string(g.cycles) +
                    ", every = " + std::to_string(g.every));
}

}  // namespace

Solver::Solver(Equation equation, Plan plan, bool look_up)
    : equation_(std::move(equation)), plan_(std::move(plan)) {
  const auto before = Clock::now();
  if (look_up && plan_.tuned)
    if (const auto known = known_plan(equation_, plan_.database))
      plan_ = merged(plan_, known->plan), origin_ = known->origin;
  hierarchy_ = std::make_unique<Hierarchy>(equation_, plan_);
  kernels_ms_ = ms_since(before);
}

// ---- coefficients

std::vector<std::int64_t> Solver::shape(const std::string& name) const {
  return hierarchy_->level(0).grid().shape_of(equation_.coefficient(name));
}

Solver& Solver::set(const std::string& name, std::span<const double> values) {
  (void)equation_.coefficient(name);
  const std::span<double> to = hierarchy_->level(0).array(name);
  std::string lengths;
  std::size_t n = 1;
  for (const auto length : shape(name)) {
    lengths += (lengths.empty() ? "" : "x") + std::to_string(length);
    n *= static_cast<std::size_t>(length);
  }
  if (values.size() != n)
    throw UserError("gmg::Solver::set: " + name + " has " + lengths + " elements, but " +
                    std::to_string(values.size()) + " are given");
  copy(values, to);
  stale_ = true;
  return *this;
}

Solver& Solver::set(const std::string& name, const Sampler& value) {
  const Coefficient& c = equation_.coefficient(name);
  const Domain& domain = equation_.domain();
  const std::vector<std::int64_t> lengths = shape(name);
  std::vector<double> all, x(lengths.size());
  std::vector<std::int64_t> at(lengths.size(), 0);
  while (true) {
    for (std::size_t d = 0; d < x.size(); ++d) {
      const bool on_face = c.faces && domain.dimension_of(*c.faces) == d;
      x[d] = (static_cast<double>(at[d]) + (on_face ? 0 : 0.5)) * domain.spacing(d);
    }
    all.push_back(value(x));
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == lengths[d - 1]) at[--d] = 0;
    if (d == 0) break;
  }
  return set(name, std::span<const double>(all));
}

Solver& Solver::set(const std::string& name, double value) {
  if (equation_.numbers().contains(name)) {
    hierarchy_->level(0).set_number(name, value);
  } else {
    (void)equation_.coefficient(name);
    const std::span<double> to = hierarchy_->level(0).array(name);
    fill(to, value);
  }
  stale_ = true;
  return *this;
}

void Solver::prepare() {
  hierarchy_->refresh();
  shift_.clear();
  Level& finest = hierarchy_->level(0);
  if (has_boundary_values(equation_.domain())) {
    std::vector<double> around = boundary_values(equation_.domain(), equation_.radius());
    shift_.resize(static_cast<std::size_t>(finest.count()));
    Arguments a = finest.arguments();
    a.arrays["around"] = around.data();
    const Kernel kernel(boundary_program(finest.grid()));
    kernel.bind(a, shift_.data())();
  }
  stale_ = false;
}

// ---- a solve

Report Solver::solve(std::span<const double> f, std::span<double> u, const Goal& goal) {
  check_goal(goal);
  const auto cells = static_cast<std::size_t>(equation_.domain().count());
  if (f.size() != cells || u.size() != cells)
    throw UserError("gmg::Solver::solve: f has " + std::to_string(f.size()) + " elements and u " +
                    std::to_string(u.size()) + ", the domain has " + std::to_string(cells) + " cells");
  Report report;
  report.plan = str(plan_), report.norm = goal.norm;
  const auto started = Clock::now();
  if (stale_) prepare();
  hierarchy_->level(0).prepare_norm(goal.norm);
  report.setup_ms = kernels_ms_ + ms_since(started);
  if (kernels_ms_ > 0) report.kernels_ms = hierarchy_->kernels_ms();
  kernels_ms_ = 0;
  for (std::size_t l = 0; l < hierarchy_->size(); ++l) {
    const Level& level = hierarchy_->level(l);
    std::string grid;
    for (const auto n : level.grid().domain().cells()) grid += (grid.empty() ? "" : "x") + std::to_string(n);
    grid.resize(std::max<std::size_t>(grid.size() + 1, 14), ' ');
    report.grids.push_back(
        grid + (l + 1 == hierarchy_->size() ? text(hierarchy_->bottom()) : text(level.smoother())));
  }
  begin(f, u, goal, report);
  const auto before = Clock::now();
  hierarchy_->forget_times();
  cycle_until(goal, report, u);
  report.ms = ms_since(before);
  report.times = hierarchy_->times();
  if (hierarchy_->singular()) remove_mean(u);
  return report;
}

void Solver::begin(std::span<const double> f, std::span<const double> u, const Goal& goal, Report& report) {
  Level& finest = hierarchy_->level(0);
  const std::span<double> own_f = finest.array("f"), own_u = finest.array("u");
  zero_guess_ = copy_of_zeros(u, own_u);
  hierarchy_->forget_residual();
  report.reference = norm_of(own_f, goal.norm, [&](std::size_t begin, std::size_t end) {
    std::memcpy(&own_f[begin], &f[begin], (end - begin) * sizeof(double));
    for (std::size_t i = begin; i < end && !shift_.empty(); ++i) own_f[i] -= shift_[i];
  });
  report.notes = hierarchy_->notes();
  if (!origin_.empty()) report.notes.push_back("Begun with what was " + origin_ + ".");
  if (hierarchy_->singular()) {
    const double m = mean(own_f), size = norm_of(own_f, Norm::rms);
    remove_mean(own_f);
    report.notes.emplace_back(
        "A is singular: constants are solutions of A u = 0; the u with mean 0 is returned.");
    if (std::abs(m) > 1e-10 * size)
      report.notes.push_back("f and the conditions' values have the mean " + number(m) +
                             ", with which there is no solution; it was removed.");
    report.reference = norm_of(own_f, goal.norm);
  }
  hierarchy_->begin();
}

/// Whether the last entry of the history ends the solve; then status and reason say why.
bool Solver::ends(const Goal& goal, Report& r) const {
  const double now = r.history.back(), first = r.history.front();
  const double base = r.reference > 0 ? r.reference : first;
  const auto after = [&](const std::string& what) {
    return what + " after " + std::to_string(r.cycles()) + (r.cycles() == 1 ? " cycle" : " cycles");
  };
  const auto end = [&](Report::Status status, std::string reason) {
    r.status = status, r.reason = std::move(reason);
    return true;
  };
  if (!std::isfinite(now))
    return end(Report::Status::not_finite,
               r.cycles() == 0
                   ? "f, the first u or a coefficient holds a value that is not a finite number."
                   : after("The residual is no finite number any more") + "; u is the best iterate.");
  if (now <= goal.absolute || now <= goal.relative * base)
    return end(Report::Status::converged, after("Converged") + ": residual (" + gmg::text(r.norm) + ") " +
                                              number(now) + ", " + number(base > 0 ? now / base : 0) +
                                              " of that where u is 0; factor " + number(r.mean_factor()) +
                                              ".");
  if (interrupted())
    return end(Report::Status::interrupted, after("Interrupted") + ": residual (" + gmg::text(r.norm) + ") " +
                                                number(now) + ", " + number(base > 0 ? now / base : 0) +
                                                " of that where u is 0; u is the best iterate.");
  if (r.cycles() >= 2 && now > 1e3 * std::max(first, r.reference))
    return end(
        Report::Status::diverged,
        after("The residual has grown to " + number(now / first) + " of the first") +
            "; u is the best iterate. Try a smaller weight, more sweeps, or look whether A is positive.");
  const std::size_t n = r.history.size();
  if (n > 6 && now > 0.9 * r.history[n - 6])
    return end(Report::Status::stagnated, after("The residual no longer falls: it is " + number(now) + ", " +
                                                number(base > 0 ? now / base : 0) + " of that where u is 0"));
  if (r.cycles() >= goal.cycles)
    return end(Report::Status::cycles_used_up,
               after("Not converged") + ": residual (" + gmg::text(r.norm) + ") " + number(now) + ", " +
                   number(base > 0 ? now / base : 0) + " of that where u is 0; the last factor was " +
                   number(r.last_factor()) + ". Allow more cycles, or a larger tolerance.");
  return false;
}

/// What rounding alone makes of the residual, roughly: the diagonal's part of A u.
double Solver::rounding() {
  Level& finest = hierarchy_->level(0);
  const std::span<const double> u = hierarchy_->solution(), lambda = finest.array("lambda");
  double squares = 0;
  for (std::size_t i = 0; i < u.size(); ++i) squares += (u[i] / lambda[i]) * (u[i] / lambda[i]);
  return 2.2e-16 * finest.weight() * std::sqrt(squares / static_cast<double>(u.size()));
}

/// In f32, before the next residual in f64: no more than the goal needs, if they are as good as the last
/// ones.
int Solver::inner_cycles(const Goal& goal, const Report& r) const {
  constexpr int most = 2;  // the residual of these falls by 1e-3 to 1e-4, which f32 can tell
  const double now = r.history.back(), to = std::max(goal.absolute, goal.relative * r.reference);
  const double factor = r.cycles() > 0 ? r.last_factor() : 0;
  int n = plan_.inner > 0 ? plan_.inner : most;
  if (plan_.inner == 0 && factor > 0 && factor < 1 && to > 0)
    n = std::clamp(static_cast<int>(std::ceil(std::log(to / now) / std::log(factor))), 1, most);
  return std::max(1, std::min(n, goal.cycles - r.cycles()));
}

void Solver::cycle_until(const Goal& goal, Report& report, std::span<double> best) {
  const std::size_t levels = hierarchy_->size();
  const CycleSteps cycle = cycle_steps(plan_, levels);
  const bool mixed = hierarchy_->is_mixed();
  // Where u is 0, the residual is f.
  if (mixed && !plan_.full_start && report.reference > 0 && std::isfinite(report.reference))
    report.add(hierarchy_->first_residual(report.reference, zero_guess_, goal.norm), 0);
  else
    report.add(zero_guess_ ? report.reference : hierarchy_->residual_norm(goal.norm), 0);
  double least = report.history[0], kept = least;
  const auto keep = [&] { copy(hierarchy_->solution(), best), kept = least; };
  int next = goal.every;
  while (!ends(goal, report)) {
    const bool starts = report.cycles() == 0 && plan_.full_start;
    const double before = report.history.back();
    if (mixed && !starts) {
      const int cycles = inner_cycles(goal, report);
      report.add(hierarchy_->correct(cycle, cycles, before, goal.norm), cycles);
    } else {
      hierarchy_->run(starts ? full_start_steps(plan_.cycle, levels) : cycle);
      report.add(hierarchy_->residual_norm(goal.norm), 1);
    }
    const double now = report.history.back();
    if (!(now < least)) {
      // The last u was the best, and not kept: what a cycle in f32 has added can be taken back.
      if (kept > least && std::isfinite(now)) hierarchy_->add(-1), keep(), hierarchy_->add(1);
    } else if (least = now; !mixed || starts || now > 0.3 * before) {
      keep();
    }
    if (goal.each && goal.every > 0 && report.cycles() >= next && now <= least)
      goal.each(report.cycles(), hierarchy_->solution()), next = report.cycles() + goal.every;
  }
  if (kept > least) keep();
  if (report.status == Report::Status::stagnated)
    report.reason += least <= 20 * rounding() * (report.norm == Norm::max ? 10 : 1)
                         ? ", which is as small as rounding lets it be."
                         : "; try more sweeps, W cycles, or smaller ratios along weakly coupled axes.";
}

// ---- tuning

std::vector<std::string> Solver::tune(double seconds, const std::string& database) {
  const std::vector<std::string> lines = hierarchy_->tune(seconds, database, plan_.kernels);
  keep_plan(equation_, plan_, database);
  return lines;
}

std::vector<std::string> Solver::tune_plan(std::span<const double> f, const Goal& goal, double seconds,
                                           const std::string& database) {
  check_goal(goal), check_size("f", f.size());
  const auto make = [&](const Plan& plan) {
    Solver solver(equation_, plan, false);
    for (const Coefficient& c : equation_.coefficients())
      solver.set(c.name, std::span<const double>(hierarchy_->level(0).array(c.name)));
    for (const auto& [name, value] : equation_.numbers()) solver.set(name, hierarchy_->level(0).number(name));
    return solver;
  };
  std::vector<PlanTrial> all = try_plans(plan_, make, f, goal, seconds);
  const auto best = std::min_element(all.begin(), all.end(), is_better);
  std::rotate(all.begin(), best, best + 1);
  std::vector<std::string> lines;
  for (const PlanTrial& t : all) lines.push_back(str(t));
  *this = make(all.front().plan);
  keep_plan(equation_, plan_, database);
  return lines;
}

// ---- for other iterations

void Solver::check_size(const char* what, std::size_t n) const {
  if (const auto cells = static_cast<std::size_t>(equation_.domain().count()); n != cells)
    throw UserError(std::string("gmg::Solver: ") + what + " has " + std::to_string(n) +
                    " elements, the domain has " + std::to_string(cells) + " cells");
}

void Solver::apply(std::span<const double> x, std::span<double> y) {
  check_size("x", x.size()), check_size("y", y.size());
  hierarchy_->level(0).apply(x, y);
}

std::vector<double> Solver::homogeneous(std::span<const double> f) {
  check_size("f", f.size());
  if (stale_) prepare();
  std::vector<double> all(f.begin(), f.end());
  for (std::size_t i = 0; i < shift_.size(); ++i) all[i] -= shift_[i];
  return all;
}

void Solver::precondition(std::span<const double> r, std::span<double> z, int cycles) {
  check_size("r", r.size()), check_size("z", z.size());
  if (stale_) prepare();
  Level& finest = hierarchy_->level(0);
  const std::span<double> f = finest.array("f");
  copy(r, f);
  finest.clear("u");
  hierarchy_->forget_residual();
  if (hierarchy_->singular()) remove_mean(f);
  hierarchy_->begin();
  const CycleSteps cycle = cycle_steps(plan_, hierarchy_->size());
  const int inner = plan_.inner > 0 ? plan_.inner : 1;
  double residual = norm_of(f, Norm::rms);
  for (int c = 0; c < cycles && residual > 0; c += hierarchy_->is_mixed() ? inner : 1) {
    if (hierarchy_->is_mixed())
      residual = hierarchy_->correct(cycle, std::min(inner, cycles - c), residual, Norm::rms);
    else
      hierarchy_->run(cycle);
  }
  copy(hierarchy_->solution(), z);
  if (hierarchy_->singular()) remove_mean(z);
}

}  // namespace lift::gmg
