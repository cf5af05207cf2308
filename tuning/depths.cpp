#include "tuning/depths.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "ir/error.hpp"
#include "ir/expr/type.hpp"
#include "patterns/box_problem.hpp"

namespace lift {
namespace {

double bytes_of_arrays(const Program& p) {
  double bytes = 0;
  for (const Expr& a : p.arguments) {
    if (!a.type().is_array()) continue;
    double elements = 1;
    for (const Nat& n : shape_of(a.type())) elements *= static_cast<double>(n.constant().value_or(1));
    bytes += elements * static_cast<double>(size_of(element_of(a.type()).scalar()));
  }
  return bytes;
}

/// Sweep t of T is over boxes of `dimensions` that are wider by what the sweeps after it still use up.
double cells_computed(const Problem& p, std::int64_t radius, int dimensions) {
  double sum = 0;
  for (int t = 0; t < p.sweeps; ++t)
    sum += std::pow(static_cast<double>(p.box + 2 * radius * (p.sweeps - 1 - t)) / static_cast<double>(p.box),
                    dimensions);
  return sum / p.sweeps;
}

}  // namespace

Problem with_sweeps(Problem p, int sweeps) {
  p.sweeps = sweeps;
  if (has_ghost_zone(p)) p.ghost *= sweeps;
  return p;
}

Depths explore_depths(const Pattern& pattern, const Problem& problem, const ExploreOptions& given) {
  if (!pattern.sweeps)
    throw UserError("--sweeps auto: " + pattern.name + " is applied once; only smoothers have sweeps");
  const auto began = std::chrono::steady_clock::now();
  const double one = bytes_of_arrays(pattern.build(with_sweeps(problem, 1)));
  Depths r;
  std::size_t left = std::size(kDepths);
  for (const int sweeps : kDepths) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    ExploreOptions options = given;
    options.budget_seconds = (given.budget_seconds - spent) / static_cast<double>(left--);
    if (sweeps > 1 && options.budget_seconds <= 0) break;
    Depth d{with_sweeps(problem, sweeps), {}, 1, 1};
    const Program program = pattern.build(d.problem);
    d.memory = bytes_of_arrays(program) / one;
    if (has_ghost_zone(problem))  // the first dimension of an array is that of the boxes
      d.computed = cells_computed(d.problem, problem.ghost, rank_of(results_of(program).at(0).type) - 1);
    d.result = explore(pattern, d.problem, options);
    r.tried.push_back(std::move(d));
    const auto ms = [&](std::size_t i) {
      const ExploreResult& x = r.tried[i].result;
      return x.best ? x.variants[*x.best].ms : 0.0;
    };
    const std::size_t last = r.tried.size() - 1;
    const bool better = ms(last) > 0 && (ms(r.best) == 0 || ms(last) < ms(r.best));
    if (r.tried.back().result.interrupted || (last > 0 && !better)) break;
    r.best = last;
  }
  return r;
}

std::string depth_table(const Depths& d) {
  std::string lines = fmt::format("  {:>6} {:>8} {:>7} {:>6} {:>8} {:>9}  {}", "sweeps", "ms each", "speedup",
                                  "roof", "memory", "computed", "best variant");
  for (const Depth& x : d.tried) {
    const ExploreResult& r = x.result;
    if (!r.best) {
      lines += fmt::format("\n  {:>6} {:>8}", x.problem.sweeps, "none");
      continue;
    }
    const Variant& v = r.variants[*r.best];
    lines += fmt::format("\n  {:>6} {:>8.4g} {:>6.2f}x {:>6.2f} {:>7.2f}x {:>8.2f}x  {}", x.problem.sweeps,
                         v.ms, v.speedup, v.roofline, x.memory, x.computed, v.name);
  }
  return lines;
}

}  // namespace lift
