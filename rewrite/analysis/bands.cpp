#include "rewrite/analysis/bands.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/rings.hpp"

namespace lift {
namespace {

std::string name_of(const Chain& c, std::size_t stage) { return c.stages[stage].name; }
std::string along(std::size_t axis) { return " along axis " + std::to_string(axis); }

/// Whether some stage writes into the array of that name. Copies of what none writes can be made beforehand.
bool is_written(const StageGraph& g, const Chain& chain, const std::string& array) {
  std::string storage = array;
  for (std::size_t i = 0; i < chain.stages.size(); ++i)
    if (chain.stages[i].makes(array)) storage = g.stages[i].storage;
  return std::any_of(g.stages.begin(), g.stages.end(),
                     [&](const StageWrites& w) { return w.storage == storage; });
}

/// Whether all that the one stage computes is replaced by the other, of arrays of one shape.
bool replaces(const StageWrites& other, const StageWrites& one) {
  if (other.begins.size() != one.begins.size()) return false;
  for (std::size_t d = 0; d < one.begins.size(); ++d)
    if (!Facts().proves(less_equal(other.begins[d], one.begins[d])) ||
        !Facts().proves(less_equal(one.begins[d] + one.computed[d], other.begins[d] + other.computed[d])))
      return false;
  return true;
}

/// What an update leaves of its base is copied plane by plane, in step, where one of the two is a ring.
bool copies_by_planes(const Chain& chain, std::size_t stage, const std::string& base) {
  return is_ring(chain.stages[stage]) ||
         std::any_of(chain.stages.begin(), chain.stages.end(),
                     [&](const ChainStage& s) { return s.makes(base) && is_ring(s); });
}

/// What a stage makes in steps: also what it copies of a ring.
StageWrites made_in_step(const Chain& chain, const StageGraph& g, std::size_t stage) {
  StageWrites w = g.stages[stage];
  if (w.base && copies_by_planes(chain, stage, *w.base))
    w.begins.assign(w.begins.size(), 0),
        w.computed = shape_of(chain.stages[stage].value.type(), static_cast<int>(w.begins.size()));
  return w;
}

/// Why a chain cannot go along an axis together whatever the shifts.
std::string obstacle(const Chain& chain, const StageGraph& g, std::size_t axis) {
  if (chain.stages.size() < 2) return "there is no chain: the program has one stage";
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const StageWrites& w = g.stages[i];
    if (!w.unknown.empty()) return name_of(chain, i) + ": " + w.unknown;
    if (axis >= w.extents.size())
      return name_of(chain, i) + " makes an array of " + std::to_string(w.extents.size()) +
             " dimensions, there is no axis " + std::to_string(axis);
    if (w.base && w.storage == name_of(chain, i) && !copies_by_planes(chain, i, *w.base) &&
        is_written(g, chain, *w.base))
      return name_of(chain, i) + " copies " + *w.base +
             ", which another stage overwrites: update it in place, or keep the stages in rings";
    if (w.each.at(axis) == 0) return name_of(chain, i) + " is no loop over what it writes" + along(axis);
    if (!(begin_of(w, axis) - begin_of(g.stages[0], axis)).constant())
      return name_of(chain, i) + " begins at " + w.begins[axis].str() + ", " + name_of(chain, 0) + " at " +
             g.stages[0].begins[axis].str() + ": by how much they differ must be a number";
  }
  return "";
}

/// Why it cannot go in tiles of that shape.
std::string obstacle_of_tiles(const Chain& chain, const StageGraph& g, Band::Shape shape, std::size_t axis) {
  if (shape == Band::overlapped && !chain.afterwards.empty())
    return "a result is a number that is computed from whole stages, after all tiles: let it be computed "
           "from an array that is a result";
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const ChainStage& stage = chain.stages[i];
    if (const std::int64_t each = g.stages[i].each.at(axis); each > 1)
      return stage.name + " makes " + std::to_string(each) + " positions an iteration of its loop" +
             along(axis) + ", and tiles are cut between any two";
    if (shape == Band::phases) {
      if (is_ring(stage))
        return stage.name +
               " is kept in a ring, and the second phase reads what the first has left of it: "
               "keep it whole";
      continue;
    }
    if (overwrites_base(stage.value))
      return stage.name + " overwrites " + *g.stages[i].base + ", which other tiles still read";
    const bool read = std::any_of(g.dependences.begin(), g.dependences.end(), [&](const Dependence& d) {
      return d.kind == Dependence::Kind::Flow && d.from == i;
    });
    if (read && !is_ring(stage))
      return stage.name + (stage.result ? " is a result that later stages read: each tile has to keep its own"
                                        : " is one array for all tiles: keep the stages in rings first");
  }
  return "";
}

/// The least difference of lags, `to` minus `from`, that a dependence asks for; nothing: none is enough.
std::optional<std::int64_t> needed(const StageGraph& g, const Dependence& d, std::size_t axis,
                                   std::int64_t apart) {
  const Distance& x = d.distance.at(axis);
  const std::int64_t begins =
      *(begin_of(g.stages[d.to], axis) - begin_of(g.stages[d.from], axis)).constant() +
      depth_of(g.stages[d.to], axis) + apart;
  switch (d.kind) {
    case Dependence::Kind::Flow:
      return x.max ? std::optional(*x.max + begins) : std::nullopt;
    case Dependence::Kind::Anti:
      return x.min ? std::optional(-*x.min + begins) : std::nullopt;
    case Dependence::Kind::Output:
      break;
  }
  return begins;
}

std::string description(const Chain& c, const Dependence& d, std::size_t axis) {
  const Distance& x = d.distance.at(axis);
  const std::string& load = d.kind == Dependence::Kind::Flow ? x.at_max : x.at_min;
  const std::string from = name_of(c, d.from), to = name_of(c, d.to);
  if (d.kind == Dependence::Kind::Output) return to + " writes " + d.storage + " where " + from + " does";
  if (d.kind == Dependence::Kind::Flow)
    return to + " reads " + (load.empty() ? d.storage : load) + ", which " + from + " has written";
  return from + " reads " + (load.empty() ? d.storage : load) + ", which " + to + " overwrites";
}

Demands demands_of_tiles(const Chain& chain, const StageGraph& g, Band::Shape shape, std::size_t axis) {
  Demands r;
  r.obstacle = demands(chain, g, Band::skewed, axis).obstacle;
  if (r.obstacle.empty()) r.obstacle = obstacle_of_tiles(chain, g, shape, axis);
  for (const Dependence& d : g.dependences) {
    const bool overlaps = shape == Band::overlapped;
    if (!r.obstacle.empty()) return r;
    if (overlaps && d.kind != Dependence::Kind::Flow) continue;
    if (const Distance& x = d.distance.at(axis); !x.bounded())
      r.obstacle = !x.why.empty() ? x.why
                                  : name_of(chain, d.to) + " meets " + name_of(chain, d.from) +
                                        " at any distance" + along(axis);
    else
      r.list.push_back(
          {overlaps ? d.from : d.to, overlaps ? d.to : d.from, reach(d, axis), &d});  // on both sides
  }
  if (shape == Band::overlapped)
    std::stable_sort(r.list.begin(), r.list.end(),
                     [](const Demand& a, const Demand& b) { return a.less > b.less; });
  return r;
}

}  // namespace

Demands demands(const Chain& chain, const StageGraph& graph, Band::Shape shape, std::size_t axis,
                const Apart& apart) {
  if (shape != Band::skewed) return demands_of_tiles(chain, graph, shape, axis);
  Demands r;
  r.obstacle = obstacle(chain, graph, axis);
  if (!r.obstacle.empty()) return r;
  for (const Dependence& d : graph.dependences) {
    const auto least = needed(graph, d, axis, apart ? apart(d) : 0);
    if (!least)
      return {{},
              description(chain, d, axis) + ": however far behind" + along(axis) + ", since " +
                  d.distance.at(axis).why};
    r.list.push_back({d.to, d.from, *least, &d});
  }
  return r;
}

Shifts least_shifts(const Demands& demands, std::size_t stages, const std::vector<std::int64_t>& at_least) {
  if (!demands.obstacle.empty()) return {{}, demands.obstacle};
  Shifts r{at_least, ""};
  r.by_stage.resize(stages, 0);
  for (const Demand& d : demands.list)
    r.by_stage[d.more] = std::max(r.by_stage[d.more], r.by_stage[d.less] + d.by);
  return r;
}

Shifts least_shifts(const Chain& chain, const StageGraph& graph, Band::Shape shape, std::size_t axis) {
  return least_shifts(demands(chain, graph, shape, axis), chain.stages.size());
}

std::string why_copies_are_late(const Chain& chain, const StageGraph& graph, Band::Shape shape) {
  if (shape == Band::overlapped || !chain.going(Band::overlapped).empty()) return "";
  for (std::size_t j = 1; j < graph.stages.size(); ++j) {
    const StageWrites& w = graph.stages[j];
    if (!w.base || w.storage == name_of(chain, j) || overwrites_base(chain.stages[j].value) ||
        copies_by_planes(chain, j, *w.base))
      continue;
    for (std::size_t i = 0; i < j; ++i)
      if (graph.stages[i].storage == w.storage && !replaces(w, made_in_step(chain, graph, i)))
        return name_of(chain, j) + " copies " + *w.base + " before all steps, but " + name_of(chain, i) +
               " computes some of what is copied: update it in place, or keep the stages in rings";
  }
  return "";
}

/// Around a seam each stage has its shift on both sides, and what it meets of an earlier one, as far beside
/// itself as that one's shift is less, stays within twice the largest: no part around another seam.
std::int64_t least_width(const std::vector<std::int64_t>& shifts) {
  return shifts.empty() ? 1 : std::max<std::int64_t>(1, 2 * *std::max_element(shifts.begin(), shifts.end()));
}

std::string why_too_narrow(const Band& b) {
  if (b.shape != Band::phases || b.width >= least_width(b.shifts)) return "";
  return "tiles of " + std::to_string(b.width) +
         " are too narrow: what is left around their seams meets; use " +
         std::to_string(least_width(b.shifts)) + " or more, or fewer stages";
}

namespace {

/// What is wrong with where a band stands among the others.
std::string misplaced(const Chain& chain, std::size_t band) {
  const Band& b = chain.bands[band];
  for (std::size_t i = 0; i < band; ++i) {
    const Band& around = chain.bands[i];
    if (around.shape == b.shape && around.axis == b.axis)
      return "axis " + std::to_string(b.axis) + " is gone along twice";
    if (b.shape == Band::skewed) continue;
    if (around.shape == Band::skewed) return "put it outside of " + words(around);
    if (around.shape == Band::phases || b.shape == Band::phases)
      return "put one around let x1 = ... in ..., and no other tiles beside it";
  }
  if (b.run == Band::team && band + 1 != chain.bands.size())
    return "another axis is gone along within a step; use it for the innermost";
  if (b.run == Band::turns && band > 0 && chain.bands[band - 1].shape == Band::skewed)
    return "another axis is gone along around it; use it for the outermost";
  return "";
}

std::string violation(const Chain& chain, const Band& b, const Demand& d) {
  const std::string more = name_of(chain, d.more), kind = std::string(" (") + text(d.of->kind) + ")";
  const std::int64_t least = b.shifts[d.less] + d.by;
  if (b.shape == Band::skewed)
    return description(chain, *d.of, b.axis) + kind + ":" + along(b.axis) + " " + more + " has to stay " +
           std::to_string(d.by) + " behind " + name_of(chain, d.less) + ", not " +
           std::to_string(b.shifts[d.more] - b.shifts[d.less]) +
           (b.run == Band::team ? ", so that no two stages of a step meet" : "");
  return name_of(chain, d.of->to) + " meets " + name_of(chain, d.of->from) + kind + " up to " +
         std::to_string(d.by) + " beside itself: " +
         (b.shape == Band::overlapped
              ? more + " has to go " + std::to_string(least) + " beyond the tile"
              : "a tile has to leave " + std::to_string(least) + " planes of " + more) +
         along(b.axis) + ", not " + std::to_string(b.shifts[d.more]);
}

std::string why_not(const Chain& chain, const StageGraph& graph, std::size_t band) {
  const Band& b = chain.bands[band];
  if (std::string why = misplaced(chain, band); !why.empty()) return why;
  const std::int64_t apart = b.run == Band::team ? b.width : 0;
  const Demands all = demands(chain, graph, b.shape, b.axis, [&](const Dependence&) { return apart; });
  if (!all.obstacle.empty()) return all.obstacle;
  if (b.shifts.size() != chain.stages.size())
    return std::to_string(b.shifts.size()) + " shifts for " + std::to_string(chain.stages.size()) + " stages";
  for (const Demand& d : all.list)
    if (b.shifts[d.more] - b.shifts[d.less] < d.by) return violation(chain, b, d);
  if (std::string why = why_copies_are_late(chain, graph, b.shape); !why.empty()) return why;
  return b.run == Band::turns ? why_not_in_turns(chain, graph) : why_too_narrow(b);
}

}  // namespace

void check_bands(const Program& program) {
  std::size_t all = 0;
  visit(program.body, [&](const Expr& e) { all += e.is(Op::Band) ? 1 : 0; });
  if (all == 0) return;
  const Chain chain = chain_of(program);
  if (chain.bands.size() != all)
    throw UserError("band: the program has " + std::to_string(all) + " of them, but " +
                    std::to_string(chain.bands.size()) +
                    " around its chain; put it around let x1 = ... in ... below maps only");
  const StageGraph graph = stage_graph(chain, Updates::as_decided);
  for (std::size_t i = 0; i < chain.bands.size(); ++i)
    if (const std::string why = why_not(chain, graph, i); !why.empty())
      throw UserError(words(chain.bands[i]) + ": " + why);
}

}  // namespace lift
