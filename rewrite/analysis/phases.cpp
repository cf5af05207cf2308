#include "rewrite/analysis/phases.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/lags.hpp"
#include "rewrite/analysis/rings.hpp"

namespace lift {
namespace {

std::string why_not_in_phases(const Chain& chain, const StageGraph& g, std::size_t axis) {
  if (std::string why = least_lags(chain, g, axis).obstacle; !why.empty()) return why;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    if (const std::int64_t each = g.stages[i].each.at(axis); each > 1)
      return chain.stages[i].name + " makes " + std::to_string(each) +
             " positions an iteration of its loop along axis " + std::to_string(axis) +
             ", and tiles are cut between any two";
    if (is_ring(chain.stages[i]))
      return chain.stages[i].name +
             " is kept in a ring, and the second phase reads what the first has left "
             "of it: keep it whole";
  }
  for (const Dependence& d : g.dependences)
    if (const Distance& x = d.distance.at(axis); !x.bounded())
      return x.why.empty() ? chain.stages[d.to].name + " meets " + chain.stages[d.from].name +
                                 " at any distance along axis " + std::to_string(axis)
                           : x.why;
  return "";
}

[[noreturn]] void refuse(const std::string& what) { throw UserError("in_phases: " + what); }

}  // namespace

/// Around a seam each stage has its shift on both sides, and what it meets of an earlier one, as far beside
/// itself as that one's shift is less, stays within twice the largest: no part around another seam.
std::int64_t Shifts::least_width() const {
  return by_stage.empty()
             ? 1
             : std::max<std::int64_t>(1, 2 * *std::max_element(by_stage.begin(), by_stage.end()));
}

Shifts least_shifts(const Chain& chain, const StageGraph& graph, std::size_t axis) {
  Shifts r;
  r.obstacle = why_not_in_phases(chain, graph, axis);
  if (!r.obstacle.empty()) return r;
  r.by_stage.assign(chain.stages.size(), 0);
  // On one side for what other tiles compute and it reads, on the other for what they still read where it
  // writes.
  for (const Dependence& d : graph.dependences)  // by `to`: what they come from has its shift already
    r.by_stage[d.to] = std::max(r.by_stage[d.to], r.by_stage[d.from] + reach(d, axis));
  return r;
}

void check_in_phases(const Program& program) {
  std::size_t all = 0;
  visit(program.body, [&](const Expr& e) { all += e.is(Op::InPhases) ? 1 : 0; });
  if (all == 0) return;
  const Chain chain = chain_of(program);
  if (all > 1 || chain.phases.size() != 1 || !chain.tiles.empty())
    refuse("put one around let x1 = ... in ... below maps only, and no in_tiles beside it");
  const Expr& phases = chain.phases[0];
  const auto within = [&](const Expr& step) {
    return contains(step, [](const Expr& x) { return x.is(Op::InPhases); });
  };
  if (std::any_of(chain.steps.begin(), chain.steps.end(), within)) refuse("put it outside of in_step");
  const auto axis = static_cast<std::size_t>(step_axis(phases));
  const std::string along = " along axis " + std::to_string(axis);
  const StageGraph graph = stage_graph(chain);
  const Shifts least = least_shifts(chain, graph, axis);
  if (!least.obstacle.empty()) refuse(least.obstacle);
  if (const std::string why = why_copies_are_late(chain, graph); !why.empty()) refuse(why);
  const Shifts given{phase_shifts(phases), ""};
  if (given.by_stage.size() != chain.stages.size())
    refuse(std::to_string(given.by_stage.size()) + " shifts for " + std::to_string(chain.stages.size()) +
           " stages");
  for (const Dependence& d : graph.dependences) {
    const std::int64_t needed = given.by_stage[d.from] + reach(d, axis);
    if (given.by_stage[d.to] < needed)
      refuse(chain.stages[d.to].name + " meets " + chain.stages[d.from].name + " (" + text(d.kind) +
             ") up to " + std::to_string(reach(d, axis)) + " beside itself: a tile has to leave " +
             std::to_string(needed) + " planes of it" + along + ", not " +
             std::to_string(given.by_stage[d.to]));
  }
  if (step_width(phases) < given.least_width())
    refuse("tiles of " + std::to_string(step_width(phases)) + " are too narrow" + along +
           ": what is left around their seams meets; use " + std::to_string(given.least_width()) +
           " or more, or fewer stages");
}

}  // namespace lift
