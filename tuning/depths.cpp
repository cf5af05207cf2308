#include "tuning/depths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/error.hpp"
#include "ir/expr/type.hpp"
#include "ir/text/wrap.hpp"
#include "patterns/box_problem.hpp"
#include "runtime/affinity.hpp"
#include "runtime/machine.hpp"
#include "tuning/budget.hpp"
#include "tuning/database/platform.hpp"
#include "tuning/going_on.hpp"

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
  for (int t = 0; t < p.sweeps; ++t) {
    double wider = 1;
    for (int d = 0; d < dimensions; ++d)
      wider *= static_cast<double>(cells_along(p, d) + 2 * radius * (p.sweeps - 1 - t)) /
               static_cast<double>(cells_along(p, d));
    sum += wider;
  }
  return sum / p.sweeps;
}

}  // namespace

Problem with_sweeps(Problem p, int sweeps) {
  p.sweeps = sweeps;
  if (has_ghost_zone(p)) p.ghost *= sweeps;
  return p;
}

namespace {

Problem sample(const Pattern& pattern, const Problem& problem, const ExploreOptions& options) {
  Problem one = problem, p = problem;
  one.boxes = 1;
  const double bytes_of_box = bytes_of_arrays(pattern.build(one));
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const auto device = options.emulate ? std::nullopt : device_for(options.target, options.device, threads);
  if (device && device->gpu) {  // a box for each multiprocessor, too
    const auto bytes = static_cast<double>(device->cache_bytes);
    p.boxes = std::min(problem.boxes,
                       std::max<std::int64_t>(device->compute_units,
                                              boxes_of_sample(bytes_of_box, bytes, 1, problem.boxes)));
    return p;
  }
  NativeCompiler compiler;
  const auto caches = static_cast<double>(probe(compiler, options.threads, false).last_level_bytes());
  p.boxes = boxes_of_sample(bytes_of_box, caches, threads, problem.boxes);
  return p;
}

}  // namespace

double cost(const Depth& d) {
  const Variant& best = d.result.variants.at(d.result.best.value());
  return best.speedup > 0 ? d.computed / best.speedup : best.ms;
}

std::int64_t boxes_of_sample(double bytes_of_box, double cache_bytes, std::int64_t threads,
                             std::int64_t boxes) {
  constexpr double kTimesCaches = 8, kLeastBytes = 64 << 20;
  constexpr std::int64_t kBoxesOfThread = 4;
  const auto beyond_caches =
      static_cast<std::int64_t>(std::ceil(std::max(kTimesCaches * cache_bytes, kLeastBytes) / bytes_of_box));
  const std::int64_t least = std::max(beyond_caches, kBoxesOfThread * threads);
  return std::min(boxes, (least + threads - 1) / threads * threads);
}

Depths explore_depths(const Pattern& pattern, const Problem& problem, const ExploreOptions& given) {
  if (!pattern.sweeps)
    throw UserError("--sweeps auto: " + pattern.name + " is applied once; only smoothers have sweeps");
  constexpr double kClose = 1.1;
  constexpr double kDeeper = 2;        // the sweeps of a depth, over those of the one before
  constexpr double kSlack = 1.5;       // a machine may become so much slower meanwhile
  constexpr double kForDepths = 0.55;  // of the budget; what is left is the winner's
  const Budget budget(given.budget_seconds);
  const Problem sampled = sample(pattern, problem, given);
  const double one = bytes_of_arrays(pattern.build(with_sweeps(sampled, 1)));
  Depths r;
  r.boxes = sampled.boxes;
  const double parts = static_cast<double>(problem.boxes) / static_cast<double>(r.boxes);
  ExploreOptions options = given;
  options.rivals = false;  // other compilers' loops stand beside the winner alone
  auto rounds = static_cast<double>(std::size(kDepths));
  for (const int sweeps : kDepths) {
    options.budget_seconds = std::max((kForDepths * budget.seconds() - budget.spent()) / rounds--, 0.1);
    if (sweeps > 1) {
      // Twice as many sweeps take twice as long, here, and again over all boxes.
      const double least = least_seconds(r.tried.back().result, kDeeper);
      if (options.budget_seconds < least || budget.left() < (1 + parts) * least) {
        r.tried.push_back({with_sweeps(problem, sweeps), {}, 1, 1, "the budget is too short for it"});
        break;
      }
    }
    Depth d{with_sweeps(problem, sweeps), {}, 1, 1, ""};
    const Problem smaller = with_sweeps(sampled, sweeps);
    const Program program = pattern.build(smaller);
    d.memory = bytes_of_arrays(program) / one;
    if (has_ghost_zone(problem))  // the first dimension of an array is that of the boxes
      d.computed = cells_computed(d.problem, problem.ghost, rank_of(results_of(program).at(0).type) - 1);
    try {
      d.result = explore(pattern, smaller, options);
    } catch (const std::exception& e) {
      const bool large = dynamic_cast<const UserError*>(&e) != nullptr ||
                         dynamic_cast<const OutOfDeviceMemory*>(&e) != nullptr;
      if (sweeps == 1 || !large) throw;
      d.why_not = e.what();
    }
    if (!d.result.best && d.why_not.empty())
      d.why_not = options.configurations > 0
                      ? "no kernel was verified among so few configurations, or in its "
                        "share of the budget"
                      : "no kernel was verified within its share of the budget";
    r.tried.push_back(std::move(d));
    const ExploreResult& last = r.tried.back().result;
    const bool better =
        last.best && (!r.tried[r.best].result.best || cost(r.tried.back()) < cost(r.tried[r.best]));
    if (better) r.best = r.tried.size() - 1;
    const bool slower = last.best && cost(r.tried.back()) > kClose * cost(r.tried[r.best]);
    if (last.interrupted || !last.best || slower) break;
    // The same inner loops and schedule, where the next depth has them.
    options.first = fastest_configurations(last, kGoOnWith);
    options.first.insert(options.first.end(), given.first.begin(), given.first.end());
  }
  const Depth& winner = r.tried[r.best];
  options.first = fastest_configurations(winner.result, 2 * kGoOnWith), options.rivals = given.rivals;
  options.budget_seconds = std::max(budget.left(), 1.0);
  const bool interrupted = r.tried.back().result.interrupted;
  const bool all_boxes = budget.left() > kSlack * least_seconds(winner.result, parts);
  const bool worth_it = budget.left() > kSlack * least_seconds(winner.result, all_boxes ? parts : 1);
  if (!interrupted && (worth_it || !winner.result.best))
    r.result =
        explore(pattern, all_boxes ? winner.problem : with_sweeps(sampled, winner.problem.sweeps), options);
  if (!r.result.best && winner.result.best) r.result = winner.result;  // what was found over the sample
  r.result.interrupted |= interrupted;
  return r;
}

std::string depth_table(const Depths& d, std::size_t columns) {
  std::string lines = fmt::format("  {:>6} {:>8} {:>7} {:>6} {:>8} {:>9}  {}", "sweeps", "ms each", "speedup",
                                  "roof", "memory", "computed", "best variant");
  const auto line = [&](const std::string& numbers, const std::string& name) {
    lines += "\n" + numbers;
    if (columns == 0 || numbers.size() + name.size() <= columns)
      lines += name;
    else  // below, rather than in the few columns that are left beside
      lines += "\n" + fitted("      " + name, columns);
  };
  for (const Depth& x : d.tried) {
    const ExploreResult& r = x.result;
    if (!r.best) {
      line(fmt::format("  {:>6} {:>8}  ", x.problem.sweeps, "none"), x.why_not);
      continue;
    }
    const Variant& v = r.variants[*r.best];
    line(fmt::format("  {:>6} {:>8.4g} {:>6.2f}x {:>6.2f} {:>7.2f}x {:>8.2f}x  ", x.problem.sweeps, v.ms,
                     v.speedup, v.roofline, x.memory, x.computed),
         v.name);
  }
  return lines;
}

}  // namespace lift
