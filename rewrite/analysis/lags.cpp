#include "rewrite/analysis/lags.hpp"

#include <algorithm>
#include <functional>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/rings.hpp"

namespace lift {
namespace {

std::string name_of(const Chain& c, std::size_t stage) { return c.stages[stage].name; }

/// Whether some stage writes into the array of that name. Copies of what none writes can be made beforehand.
bool is_written(const StageGraph& g, const Chain& chain, const std::string& array) {
  std::string storage = array;
  for (std::size_t i = 0; i < chain.stages.size(); ++i)
    if (name_of(chain, i) == array) storage = g.stages[i].storage;
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
                     [&](const ChainStage& s) { return s.name == base && is_ring(s); });
}

/// Why a chain cannot go in step along an axis whatever the lags.
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
    if (w.each.at(axis) == 0)
      return name_of(chain, i) + " is no loop over what it writes along axis " + std::to_string(axis);
    if (!(begin_of(w, axis) - begin_of(g.stages[0], axis)).constant())
      return name_of(chain, i) + " begins at " + w.begins[axis].str() + ", " + name_of(chain, 0) + " at " +
             g.stages[0].begins[axis].str() + ": by how much they differ must be a number";
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

}  // namespace

namespace {

/// By how much more than needed the later stage of a dependence stays behind the earlier one.
using More = std::function<std::int64_t(const Dependence&)>;

Lags lags(const Chain& chain, const StageGraph& graph, std::size_t axis, const More& apart,
          const std::vector<std::int64_t>& at_least = {}) {
  Lags r;
  r.obstacle = obstacle(chain, graph, axis);
  if (!r.obstacle.empty()) return r;
  r.by_stage = at_least;
  r.by_stage.resize(chain.stages.size(), 0);
  for (const Dependence& d : graph.dependences) {  // by `to`: what they come from has its lag already
    const auto least = needed(graph, d, axis, apart(d));
    if (!least)
      return {{},
              description(chain, d, axis) + ": however far behind along axis " + std::to_string(axis) +
                  ", since " + d.distance.at(axis).why};
    r.by_stage[d.to] = std::max(r.by_stage[d.to], r.by_stage[d.from] + *least);
  }
  return r;
}

/// A stage that copies asynchronously, and keeps few planes of it.
bool copies_ahead(const ChainStage& s) { return is_ring(s) && s.value.child(0).is(Op::Async); }

}  // namespace

Lags least_lags(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t apart) {
  return lags(chain, graph, axis, [&](const Dependence&) { return apart; });
}

bool go_apart(Lags lags, std::optional<std::int64_t> planes) {
  constexpr std::int64_t kFew = 8;
  if (!planes) return false;
  std::sort(lags.by_stage.begin(), lags.by_stage.end());
  for (std::size_t i = 1; i < lags.by_stage.size(); ++i)
    if (lags.by_stage[i] - lags.by_stage[i - 1] > std::max(kFew, *planes / 2)) return true;
  return false;
}

Lags lags_in_step(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t width,
                  std::int64_t apart) {
  const More more = [&](const Dependence& d) {
    const bool ahead = d.kind == Dependence::Kind::Flow && copies_ahead(chain.stages[d.from]);
    return ahead ? std::max(apart, width) : apart;
  };
  Lags r = lags(chain, graph, axis, more);
  if (!r.obstacle.empty()) return r;
  std::vector<std::optional<std::int64_t>> latest(r.by_stage.size());
  for (const Dependence& d : graph.dependences) {
    const std::int64_t at = r.by_stage[d.to] - *needed(graph, d, axis, more(d));
    latest[d.from] = std::min(latest[d.from].value_or(at), at);
  }
  for (const Dependence& d : graph.dependences) latest[d.to].reset();
  for (std::size_t i = 0; i < latest.size(); ++i)
    if (latest[i] && is_ring(chain.stages[i])) r.by_stage[i] = *latest[i];
  const std::int64_t first = *std::min_element(r.by_stage.begin(), r.by_stage.end());
  for (std::int64_t& lag : r.by_stage) lag -= first;
  return r;
}

Lags lags_around_rings(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t width) {
  std::vector<std::int64_t> at_least(chain.stages.size(), 0);
  for (;;) {
    Lags r = lags(
        chain, graph, axis, [](const Dependence&) { return 0; }, at_least);
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
              description(chain, *d, axis) + ": not in one step of " + std::to_string(width) +
                  " rows, whose rows are all that a ring keeps"};
    at_least[d->from] = next;
  }
}

std::string why_not_in_step(const Chain& chain, const StageGraph& graph, std::size_t axis,
                            const std::vector<std::int64_t>& lags, std::int64_t apart) {
  if (std::string why = obstacle(chain, graph, axis); !why.empty()) return why;
  if (lags.size() != chain.stages.size())
    return std::to_string(lags.size()) + " lags for " + std::to_string(chain.stages.size()) + " stages";
  for (const Dependence& d : graph.dependences) {
    const auto least = needed(graph, d, axis, apart);
    const std::string what = description(chain, d, axis);
    if (!least) return what + ": " + d.distance.at(axis).why;
    if (lags[d.to] - lags[d.from] < *least)
      return what + " (" + text(d.kind) + "): along axis " + std::to_string(axis) + " " +
             name_of(chain, d.to) + " has to stay " + std::to_string(*least) + " behind " +
             name_of(chain, d.from) + ", not " + std::to_string(lags[d.to] - lags[d.from]) +
             (apart > 0 ? ", so that no two stages of a step meet" : "");
  }
  return "";
}

std::string why_not_doacross(const Chain& chain, const StageGraph& graph) {
  if (chain.steps.size() < 2)
    return "threads take the steps along one axis in turn while each goes along another: put it around an "
           "in_step along another axis";
  // Of two stages that write one array in different cells, no dependence may be known; but vectors under a
  // mask write whole rows, in which the later one has to come later along both axes.
  for (std::size_t d = 0; d < 2; ++d) {
    const auto axis = static_cast<std::size_t>(step_axis(chain.steps[d]));
    const std::vector<std::int64_t> lags = step_lags(chain.steps[d]);
    for (std::size_t j = 1; j < graph.stages.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const std::int64_t begins =
            *(begin_of(graph.stages[j], axis) - begin_of(graph.stages[i], axis)).constant();
        if (graph.stages[i].storage == graph.stages[j].storage &&
            lags[j] - lags[i] < begins + depth_of(graph.stages[j], axis))
          return name_of(chain, j) + " goes ahead of " + name_of(chain, i) + " along axis " +
                 std::to_string(axis) + ", and both write rows of " + graph.stages[i].storage;
      }
  }
  return "";
}

std::string why_copies_are_late(const Chain& chain, const StageGraph& graph) {
  for (std::size_t j = 1; j < graph.stages.size(); ++j) {
    const StageWrites& w = graph.stages[j];
    if (!w.base || w.storage == name_of(chain, j) || overwrites_base(chain.stages[j].value) ||
        copies_by_planes(chain, j, *w.base))
      continue;
    for (std::size_t i = 0; i < j; ++i)
      if (graph.stages[i].storage == w.storage && !replaces(w, graph.stages[i]))
        return name_of(chain, j) + " copies " + *w.base + " before all steps, but " + name_of(chain, i) +
               " computes some of what is copied: update it in place, or keep the stages in rings";
  }
  return "";
}

std::int64_t steps_apart(const Expr& in_step) { return in_step.is(Op::InStepTeam) ? step_width(in_step) : 0; }

void check_in_step(const Program& program) {
  std::size_t all = 0;
  visit(program.body, [&](const Expr& e) { all += is_in_step(e.op()) ? 1 : 0; });
  if (all == 0) return;
  const Chain chain = chain_of(program);
  if (chain.steps.size() != all)
    throw UserError("in_step: the program has " + std::to_string(all) + " of them, but " +
                    std::to_string(chain.steps.size()) +
                    " around its chain; put it around let x1 = ... in ... below maps only");
  const StageGraph graph = stage_graph(chain);
  for (const Expr& s : chain.steps) {
    const std::string op(text(s.op()));
    if (s.is(Op::InStepTeam) && !(s == chain.steps.back()))
      throw UserError(op + ": another axis is gone along within a step; use it for the innermost");
    if (s.is(Op::InStepDoacross) && !(s == chain.steps.front()))
      throw UserError(op + ": another axis is gone along around it; use it for the outermost");
    if (const std::string why = why_not_in_step(chain, graph, static_cast<std::size_t>(step_axis(s)),
                                                step_lags(s), steps_apart(s));
        !why.empty())
      throw UserError(op + ": " + why);
  }
  if (const std::string why = why_copies_are_late(chain, graph); chain.tiles.empty() && !why.empty())
    throw UserError("in_step: " + why);
  if (chain.steps.front().is(Op::InStepDoacross))
    if (const std::string why = why_not_doacross(chain, graph); !why.empty())
      throw UserError("in_step_doacross: " + why);
}

}  // namespace lift
