#include "rewrite/analysis/overlap.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/lags.hpp"
#include "rewrite/analysis/rings.hpp"

namespace lift {
namespace {

std::string why_not_in_tiles(const Chain& chain, const StageGraph& g, std::size_t axis) {
  if (std::string why = least_lags(chain, g, axis).obstacle; !why.empty()) return why;
  if (!chain.afterwards.empty())
    return "a result is a number that is computed from whole stages, after all tiles: let it be computed "
           "from "
           "an array that is a result";
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const std::string& name = chain.stages[i].name;
    if (const std::int64_t each = g.stages[i].each.at(axis); each > 1)
      return name + " makes " + std::to_string(each) + " positions an iteration of its loop along axis " +
             std::to_string(axis) + ", and tiles are cut between any two";
    if (overwrites_base(chain.stages[i].value))
      return name + " overwrites " + *g.stages[i].base + ", which other tiles still read";
    const bool read = std::any_of(g.dependences.begin(), g.dependences.end(), [&](const Dependence& d) {
      return d.kind == Dependence::Kind::Flow && d.from == i;
    });
    if (read && !is_ring(chain.stages[i]))
      return name + (chain.stages[i].result
                         ? " is a result that later stages read: each tile has to keep its own"
                         : " is one array for all tiles: keep the stages in rings first");
  }
  return "";
}

}  // namespace

Margins least_margins(const Chain& chain, const StageGraph& graph, std::size_t axis) {
  Margins r;
  r.obstacle = why_not_in_tiles(chain, graph, axis);
  if (!r.obstacle.empty()) return r;
  r.by_stage.assign(chain.stages.size(), 0);
  std::vector<Dependence> last_first = graph.dependences;
  std::stable_sort(last_first.begin(), last_first.end(),
                   [](const Dependence& a, const Dependence& b) { return a.to > b.to; });
  for (const Dependence& d : last_first) {  // by `to`: what reads it has its margin already
    if (d.kind != Dependence::Kind::Flow) continue;
    if (const Distance& x = d.distance.at(axis); !x.bounded())
      return {{},
              x.why.empty() ? chain.stages[d.to].name + " reads " + chain.stages[d.from].name +
                                  " from any distance along axis " + std::to_string(axis)
                            : x.why};
    r.by_stage[d.from] = std::max(r.by_stage[d.from], r.by_stage[d.to] + reach(d, axis));
  }
  return r;
}

void check_in_tiles(const Program& program) {
  std::size_t all = 0;
  visit(program.body, [&](const Expr& e) { all += e.is(Op::InTiles) ? 1 : 0; });
  if (all == 0) return;
  const Chain chain = chain_of(program);
  const bool within_steps = std::any_of(chain.steps.begin(), chain.steps.end(), [](const Expr& s) {
    return contains(s, [](const Expr& x) { return x.is(Op::InTiles); });
  });
  if (all != chain.tiles.size() || within_steps)
    throw UserError("in_tiles: put it around let x1 = ... in ... below maps only, outside in_step");
  const StageGraph graph = stage_graph(chain);
  std::set<std::int64_t> axes;
  for (const Expr& tiles : chain.tiles) {
    const auto axis = static_cast<std::size_t>(step_axis(tiles));
    if (!axes.insert(step_axis(tiles)).second)
      throw UserError("in_tiles: axis " + std::to_string(axis) + " is cut twice");
    const Margins least = least_margins(chain, graph, axis);
    if (!least.obstacle.empty()) throw UserError("in_tiles: " + least.obstacle);
    const std::vector<std::int64_t> margins = tile_margins(tiles);
    for (const Dependence& d : graph.dependences) {
      const std::int64_t needed = margins[d.to] + reach(d, axis);
      if (d.kind == Dependence::Kind::Flow && margins[d.from] < needed)
        throw UserError("in_tiles: " + chain.stages[d.to].name + " reads " + chain.stages[d.from].name +
                        " up to " + std::to_string(reach(d, axis)) +
                        " beyond itself: " + chain.stages[d.from].name + " has to go " +
                        std::to_string(needed) + " beyond the tile along axis " + std::to_string(axis) +
                        ", not " + std::to_string(margins[d.from]));
    }
  }
}

}  // namespace lift
