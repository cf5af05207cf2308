// Programs without loops over cells: how a configuration is derived, and what would be tried first.
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {

Rewriting numbers::derive(const Rewriting& start, const NestFacts& f, const Configuration& c) {
  NestDeriver d(start, f);
  derive_reductions(d, f, c);
  for (const Place& sweep : sweeps_of(d.part({}))) {
    d.start_at(sweep);
    if (const Nest n = d.nest(); f.on_grid() && n.update) copy_base(d, *n.update);
  }
  run_other_loops(d, f, {.width = f.lanes});
  take(decisions::readonly(), d, f, c);
  run_scans(d);
  take(decisions::stages(), d, f, c);
  return d.result();
}

NestFacts number_facts(const Program& whole, const SpaceOptions& options) {
  NestFacts f;
  f.options = options;
  if (!have_one_nest(whole)) return f;  // nothing can be decided for all sweeps together
  const Program program = single_sweep(whole, 0);
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  f.update = main_nest(program.body).update.has_value();
  if (sweeps_of(whole.body).size() == 1) f.reduction = reduction_facts(program);
  return f;
}

/// A thread hides latencies by accumulators; work-items, of which there are many, have few registers each,
/// and share parts.
std::vector<Wishes> guesses_of_reductions(const NestFacts& f) {
  std::vector<Wishes> r;
  if (f.reduction.places.empty()) return r;
  if (f.on_processors()) {
    for (const std::int64_t n : {2 * f.lanes, f.lanes, 4 * f.lanes, std::int64_t{1}})
      r.push_back({{key::lanes, n}});
    return r;
  }
  for (const std::int64_t lanes : {4, 1, 8})
    for (const std::int64_t items : {256, 128, 512, 64})
      r.push_back({{key::group, items}, {key::lanes, lanes}});
  for (const std::int64_t n : {2, 1}) r.push_back({{key::lanes, n}});
  return r;
}

std::vector<Wishes> numbers::first_guesses(const NestFacts& f, const NestFacts*) {
  std::vector<Wishes> r = guesses_of_reductions(f);
  r.emplace_back();
  return r;
}

}  // namespace lift
