// Which lags are taken of those that the dependences of a chain allow.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/rings.hpp"

namespace lift {
namespace {

/// A stage that copies asynchronously, and keeps few planes of it.
bool copies_ahead(const ChainStage& s) { return is_ring(s) && s.value.child(0).is(Op::Async); }

}  // namespace

bool go_apart(Shifts lags, std::optional<std::int64_t> planes) {
  constexpr std::int64_t kFew = 8;
  if (!planes) return false;
  std::sort(lags.by_stage.begin(), lags.by_stage.end());
  for (std::size_t i = 1; i < lags.by_stage.size(); ++i)
    if (lags.by_stage[i] - lags.by_stage[i - 1] > std::max(kFew, *planes / 2)) return true;
  return false;
}

Shifts lags_in_step(const Chain& chain, const StageGraph& graph, const Band& band) {
  const std::int64_t apart = band.run == Band::team ? band.width : 0;
  const Demands all = demands(chain, graph, Band::skewed, band.axis, [&](const Dependence& d) {
    const bool ahead = d.kind == Dependence::Kind::Flow && copies_ahead(chain.stages[d.from]);
    return ahead ? std::max(apart, band.width) : apart;
  });
  Shifts r = least_shifts(all, chain.stages.size());
  if (!r.obstacle.empty()) return r;
  std::vector<std::optional<std::int64_t>> latest(r.by_stage.size());
  for (const Demand& d : all.list) {
    const std::int64_t at = r.by_stage[d.more] - d.by;
    latest[d.less] = std::min(latest[d.less].value_or(at), at);
  }
  for (const Demand& d : all.list) latest[d.more].reset();
  for (std::size_t i = 0; i < latest.size(); ++i)
    if (latest[i] && is_ring(chain.stages[i])) r.by_stage[i] = *latest[i];
  const std::int64_t first = *std::min_element(r.by_stage.begin(), r.by_stage.end());
  for (std::int64_t& lag : r.by_stage) lag -= first;
  return r;
}

Shifts lags_around_rings(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t width) {
  const Demands all = demands(chain, graph, Band::skewed, axis);
  std::vector<std::int64_t> at_least(chain.stages.size(), 0);
  for (;;) {
    Shifts r = least_shifts(all, chain.stages.size(), at_least);
    if (!r.obstacle.empty()) return r;
    const auto crosses = [&](const Dependence& d) {
      return d.kind == Dependence::Kind::Flow && is_ring(chain.stages[d.from]) &&
             !stays_in_step(graph, d, axis, width, r.by_stage);
    };
    const auto d = std::find_if(graph.dependences.begin(), graph.dependences.end(), crosses);
    if (d == graph.dependences.end()) return r;
    const std::int64_t next = r.by_stage[d->from] + 1;
    if (next - at_least[d->from] > width + r.by_stage[d->from] || next > 64 * width)
      return {{},
              chain.stages[d->to].name + " reads " + chain.stages[d->from].name + ": not in one step of " +
                  std::to_string(width) + " rows, whose rows are all that a ring keeps"};
    at_least[d->from] = next;
  }
}

std::string why_not_in_turns(const Chain& chain, const StageGraph& graph) {
  const std::vector<Band> steps = chain.going(Band::skewed);
  if (steps.size() < 2)
    return "threads take the steps along one axis in turn while each goes along another: put it around a "
           "skewed band along another axis";
  // Of two stages that write one array in different cells, no dependence may be known; but vectors under a
  // mask write whole rows, in which the later one has to come later along both axes.
  for (const Band& b : {steps[0], steps[1]})
    for (std::size_t j = 1; j < graph.stages.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const StageWrites &earlier = graph.stages[i], &later = graph.stages[j];
        const std::int64_t begins = *(begin_of(later, b.axis) - begin_of(earlier, b.axis)).constant();
        if (earlier.storage == later.storage && b.shifts[j] - b.shifts[i] < begins + depth_of(later, b.axis))
          return chain.stages[j].name + " goes ahead of " + chain.stages[i].name + " along axis " +
                 std::to_string(b.axis) + ", and both write rows of " + earlier.storage;
      }
  return "";
}

}  // namespace lift
