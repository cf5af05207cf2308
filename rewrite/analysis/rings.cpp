#include "rewrite/analysis/rings.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/nat/nat_atoms.hpp"

namespace lift {
namespace {

/// Planes of the finest grid, by stage. Written at position q in step (scale q - begin + lag) / width, a
/// plane is read for the last time by the reader whose position is the furthest behind it (the least
/// distance); the plane in whose place it lies, further on, has to be written in a later step, also where it
/// is the last of those that an iteration makes. Nothing
/// for a stage that is read from any distance, its first plane at every position, say: all planes are kept.
std::vector<std::optional<std::int64_t>> span_of_steps(const StageGraph& g, const Band& steps) {
  const std::vector<std::int64_t>& lags = steps.shifts;
  std::vector<std::optional<std::int64_t>> span;
  for (const StageWrites& w : g.stages) span.emplace_back(steps.width + depth_of(w, 0));
  for (const Dependence& d : g.dependences) {
    if (d.kind != Dependence::Kind::Flow) continue;
    const auto begins = (begin_of(g.stages[d.to], 0) - begin_of(g.stages[d.from], 0)).constant();
    const auto& least = d.distance[0].min;
    if (!begins || !least)
      span[d.from] = std::nullopt;
    else if (span[d.from])
      span[d.from] = std::max(*span[d.from], lags[d.to] - lags[d.from] - *begins - *least + steps.width +
                                                 depth_of(g.stages[d.from], 0));
  }
  return span;
}

}  // namespace

namespace {

using detail::floor_div;

/// From one iteration of its loop to the next, in planes of the finest grid.
std::int64_t pace_of(const StageWrites& w, std::size_t axis) {
  return w.scale.at(axis) * std::max<std::int64_t>(1, w.each.at(axis));
}

}  // namespace

bool stays_in_step(const StageGraph& g, const Dependence& d, std::size_t axis, std::int64_t width,
                   const std::vector<std::int64_t>& lags) {
  const StageWrites &from = g.stages[d.from], &to = g.stages[d.to];
  const Distance& x = d.distance.at(axis);
  const auto begins = (begin_of(to, axis) - begin_of(from, axis)).constant();
  if (!x.bounded() || !begins) return false;
  const std::int64_t pace = pace_of(to, axis), of_from = pace_of(from, axis);
  // Of the reader's iterations: after these, steps begin where an iteration of the writer does, as at first.
  for (std::int64_t t = 0; t < std::lcm(width, of_from); ++t)
    for (const std::int64_t at : {*x.min, *x.max + depth_of(to, axis)}) {
      const std::int64_t written = of_from * floor_div(pace * t + *begins + at, of_from);
      if (floor_div(written + lags.at(d.from), width) != floor_div(pace * t + lags.at(d.to), width))
        return false;
    }
  return true;
}

bool can_stay_in_step(const Chain& chain, const StageGraph& g, std::size_t stage, std::size_t axis,
                      std::int64_t width) {
  const StageWrites& own = g.stages.at(stage);
  if (own.base || !chain.stages.at(stage).value.type().is_array()) return false;
  if (axis >= std::min(own.scale.size(), own.each.size()) || width % pace_of(own, axis) != 0) return false;
  bool read = false;
  for (const Dependence& d : g.dependences) {
    if (d.kind != Dependence::Kind::Flow || d.from != stage) continue;
    const StageWrites& to = g.stages[d.to];
    if (axis >= std::min({d.distance.size(), to.scale.size(), to.each.size()})) return false;  // no such loop
    const Distance& x = d.distance[axis];
    const std::int64_t pace = pace_of(to, axis);
    read = true;
    if (!x.bounded() || *x.max + depth_of(to, axis) - *x.min >= pace || width % pace != 0) return false;
  }
  return read;
}

bool is_ring(const ChainStage& stage) { return stage.value.is(Op::Ring); }

std::vector<Nat> planes_of_rings(const Chain& chain, const StageGraph& g) {
  const std::vector<Band> steps = chain.going(Band::skewed);
  std::vector<std::optional<std::int64_t>> span;
  if (!steps.empty() && steps.back().axis == 0) span = span_of_steps(g, steps.back());
  for (const Band& tiles : chain.going(Band::overlapped))
    if (steps.empty() && tiles.axis == 0)
      for (const std::int64_t margin : tiles.shifts) span.emplace_back(tiles.width + 2 * margin);
  std::vector<Nat> r;
  for (std::size_t i = 0; i < g.stages.size(); ++i) {
    const StageWrites& w = g.stages[i];
    const Nat all = w.extents.empty() ? Nat(1) : w.extents[0];
    const std::int64_t scale = w.scale.empty() ? 1 : w.scale[0];
    r.push_back(span.empty() || !span[i] ? all : min(all, (*span[i] + scale - 1) / scale));
  }
  return r;
}

void check_rings(const Program& program) {
  std::set<std::uint32_t> rings;
  visit(program.body, [&](const Expr& e) {
    if (e.is(Op::Ring)) rings.insert(e.id());
  });
  if (rings.empty()) return;
  const Chain chain = chain_of(program);
  for (const ChainStage& s : chain.stages) rings.erase(part_at(program.body, s.place).id());
  const bool of_result = std::any_of(chain.stages.begin(), chain.stages.end(),
                                     [](const ChainStage& s) { return s.result && is_ring(s); });
  if (!rings.empty() || of_result)
    throw UserError(
        "ring: only a named stage of a chain in step can be one, and no result; leave it out elsewhere");
  const std::vector<Band> steps = chain.going(Band::skewed);
  const bool skewed = steps.size() == 2 && steps[0].axis == 1 && chain.bands.size() == 2;
  if (chain.bands.empty() || (steps.size() > 1 && !skewed) || (!steps.empty() && steps.back().axis != 0))
    throw UserError(
        "ring: its planes follow one another along the outermost axis; put a skewed band along axis 0 around "
        "the chain, and no other but one along axis 1 around that");
  const StageGraph graph = stage_graph(chain, Updates::as_decided);
  for (const Dependence& d : graph.dependences)
    if (skewed && d.kind == Dependence::Kind::Flow && is_ring(chain.stages[d.from]) &&
        !stays_in_step(graph, d, 1, steps[0].width, steps[0].shifts))
      throw UserError("ring: " + chain.stages[d.to].name + " reads " + chain.stages[d.from].name +
                      " beyond a step along axis 1, whose rows are all that is kept: leave that ring out, or "
                      "use other lags");
  const std::vector<Nat> fewest = planes_of_rings(chain, graph);
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const Expr& value = chain.stages[i].value;
    if (is_ring(chain.stages[i]) && !Facts().proves(less_equal(fewest[i], ring_planes(value))))
      throw UserError("ring: " + chain.stages[i].name + " keeps " + ring_planes(value).str() +
                      " planes, but " + fewest[i].str() + " are still read; use as many");
  }
}

}  // namespace lift
