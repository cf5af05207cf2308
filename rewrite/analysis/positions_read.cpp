#include "rewrite/analysis/positions_read.hpp"

#include <algorithm>

#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// What a stage's loops compute: of an update, the block; what it leaves of its base reads nothing else.
Type computed(const Expr& value) {
  if (is_identity(value.op())) return computed(value.child(0));
  return is_update(value.op()) ? value.child(1).type() : value.type();
}

}  // namespace

std::optional<PositionsRead> positions_read(const Chain& chain, const StageGraph& graph, std::size_t stage,
                                            std::size_t axis) {
  const bool is_base = std::any_of(graph.stages.begin(), graph.stages.end(), [&](const StageWrites& w) {
    return w.base && chain.stages[stage].makes(*w.base);
  });
  if (chain.stages[stage].result || is_base) return std::nullopt;
  const auto has_unit_scale = [&](const StageWrites& w) {
    return axis < w.scale.size() && w.scale[axis] == 1;
  };
  std::optional<PositionsRead> r;
  for (const Dependence& d : graph.dependences) {
    if (d.from != stage || d.kind != Dependence::Kind::Flow) continue;
    const StageWrites& reader = graph.stages[d.to];
    if (axis >= d.distance.size()) return std::nullopt;
    const Distance& x = d.distance[axis];
    if (!x.bounded() || !has_unit_scale(reader) || !has_unit_scale(graph.stages[stage])) return std::nullopt;
    const std::vector<Nat> cells = shape_of(computed(chain.stages[d.to].value));
    if (axis >= cells.size() || axis >= reader.each.size() || reader.each.at(axis) != 1) return std::nullopt;
    const Nat first = reader.begins.at(axis) + *x.min, end = reader.begins.at(axis) + cells[axis] + *x.max;
    r = r ? PositionsRead{min(r->first, first), max(r->end, end)} : PositionsRead{first, end};
  }
  return r;
}

}  // namespace lift
