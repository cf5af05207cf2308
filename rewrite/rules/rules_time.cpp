// Rules about time: how the stages of a chain follow one another.
#include <algorithm>
#include <optional>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/lags.hpp"
#include "rewrite/analysis/overlap.hpp"
#include "rewrite/analysis/rings.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

std::string why_not_two_arrays(const Chain& chain) {
  if (chain.stages.size() < 3)
    return "there are fewer than three stages, which need no two arrays between them";
  if (std::count_if(chain.stages.begin(), chain.stages.end(), [](const ChainStage& s) { return s.result; }) >
      1)
    return "the chain has several results";
  if (!chain.steps.empty()) return "the chain goes in step already: use this rule before in-step";
  const Expr& first = chain.stages[0].value;
  if (!first.type().is_array() || !element_of(first.type()).is_scalar())
    return "each stage makes several arrays";
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const std::string& name = chain.stages[i].name;
    const Expr& value = chain.stages[i].value;
    if (!(value.type() == first.type()) || value.op() != first.op() ||
        (is_update(value.op()) && !value.is(Op::Update)))
      return name + " is no array like that of " + chain.stages[0].name + ", computed in the same way";
    for (const Expr& x : params_of(value))
      for (std::size_t k = 0; k + 1 < i; ++k)
        if (chain.stages[k].makes(param_name(x)))
          return name + " reads " + param_name(x) + ", which is older than the stage before it";
    if (!value.is(Op::Update)) continue;
    if (!(value.attr() == first.attr()) || !(value.child(1).type() == first.child(1).type()))
      return name + " updates another block than " + chain.stages[0].name;
    if (i > 0 && !(value.child(0).is(Op::Param) && param_name(value.child(0)) == chain.stages[i - 1].name))
      return name + " is no update of the array that the stage before it made";
  }
  return "";
}

/// Where the let of a chain stands.
Place place_of_chain(const Chain& chain) {
  Place at = chain.stages[0].place;  // of the first value: the chain is the let around it
  at.pop_back();
  return at;
}

/// What surrounds the blocks of updates is the same in all arrays: each may get it from the first base, or
/// find it where an array is overwritten.
Result<Program> two_arrays(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  if (const std::string why = why_not_two_arrays(chain); !why.empty()) return Failure{why};
  for (std::size_t i = 0; i + 1 < chain.stages.size(); ++i)
    if (chain.stages[i + 1].place.size() > chain.stages[i].place.size() + 2)
      return Failure{"a let between the stages names what is no stage: use it where it is read"};
  const Place at = place_of_chain(chain);
  const Expr whole = part_at(p.body, at);
  const Type type = whole.type();
  const auto older = [&] { return make(Op::Bound, {}, attributes::bound(1, 0, type)); };
  std::optional<Expr> base;
  const std::function<Expr(const Expr&, int)> changed = [&](const Expr& e, int stage) {
    const bool last = !e.is(Op::Let);
    const Expr value = last ? e : e.child(0);
    const bool update = value.is(Op::Update);
    if (stage == 0 && update) base = value.child(0);
    Expr v = value;
    if (update && (last || stage < 2))
      v = make(Op::Update, {shift(*base, stage), value.child(1)}, value.attr(), origin(value));
    else if (!last && stage >= 2)
      v = make(Op::UpdateInPlace, {older(), update ? value.child(1) : value},
               update ? value.attr()
                      : attributes::nats(std::vector<Nat>(static_cast<std::size_t>(rank_of(type)), 0)),
               origin(value));
    if (last) return v;
    if (stage < 2) v = make(Op::ToGlobal, {v}, {}, origin(value));
    return with_children(e, {v, with_children(e.child(1), {changed(e.child(1).child(0), stage + 1)})});
  };
  Program q = p;
  q.body = replaced_at(p.body, at, changed(whole, 0));
  return q;
}

/// With other values of the chain's stages that have names.
Program with_stages(const Program& p, const Chain& chain,
                    const std::function<Expr(const Expr& value, std::size_t stage)>& changed) {
  Program q = p;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const Place& at = chain.stages[i].place;
    if (at.empty() || !part_at(p.body, Place(at.begin(), at.end() - 1)).is(Op::Let)) continue;
    q.body = replaced_at(q.body, at, changed(part_at(q.body, at), i));
  }
  return q;
}

Expr ring(const Expr& value, const Nat& planes) {
  return make(Op::Ring, {value}, attributes::nats({planes}), origin(value));
}

/// The array in which a component of the chain's result lies; nothing where no stage makes it.
std::optional<std::string> storage_of_result(const Chain& chain, const StageGraph& graph, std::size_t i) {
  const bool several = chain.result.is(Op::Tuple);
  if (several ? i >= chain.result.children().size() : i > 0) return std::nullopt;
  const Expr& e = several ? chain.result.child(i) : chain.result;
  for (std::size_t k = 0; k < chain.stages.size(); ++k) {
    const bool named = e.is(Op::Param) && param_name(e) == chain.stages[k].name;
    if (named || chain.stages[k].value == e) return graph.stages[k].storage;
  }
  return std::nullopt;
}

/// Those that may, by the stage graph: bases that are arguments, or lie where one does. What a step
/// overwrites it hands on in the same place.
Result<Program> overwrite_bases(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  const StageGraph graph = stage_graph(chain);
  const auto is_stage = [&](const std::string& name) {
    return std::any_of(chain.stages.begin(), chain.stages.end(),
                       [&](const ChainStage& s) { return s.makes(name); });
  };
  const auto moves = [&](const std::string& storage) {
    for (std::size_t i = 0; i < p.state.size(); ++i)
      if (p.state[i] == storage) return storage_of_result(chain, graph, i) != storage;
    return false;
  };
  Program q = p;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const Expr u = part_at(q.body, chain.stages[i].place);
    if (u.is(Op::Update) && !is_stage(graph.stages[i].storage) && !moves(graph.stages[i].storage))
      q.body = replaced_at(q.body, chain.stages[i].place,
                           make(Op::UpdateInPlace, {u.child(0), u.child(1)}, u.attr(), origin(u)));
  }
  if (q.body == p.body) return Failure{"no stage may overwrite its base"};
  return q;
}

/// Whether a stage needs an array of its own: it is no result, and does not lie where its base does.
bool needs_array(const ChainStage& s) {
  return !s.result && s.value.type().is_array() && !s.value.is(Op::Ring) && !overwrites_base(s.value);
}

/// Whole arrays, as long as no steps say which planes are still read.
Result<Program> rings(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  if (chain.stages.size() < 2) return Failure{"there is no chain: the program has one stage"};
  if (!chain.steps.empty()) return Failure{"the chain goes in step already: use this rule before in-step"};
  if (std::none_of(chain.stages.begin(), chain.stages.end(), needs_array))
    return Failure{"all stages are results, or updated in place: none needs a ring"};
  return with_stages(p, chain, [&](const Expr& value, std::size_t stage) {
    if (!needs_array(chain.stages[stage])) return value;
    return ring(value.is(Op::ToGlobal) ? value.child(0) : value, shape_of(value.type(), 1)[0]);
  });
}

/// Of those alone that are read within a step of so many rows.
Result<Program> rings_in_turns(const Program& p, const Arguments& a) {
  const std::int64_t width = number(a, 0);
  const Chain chain = chain_of(p);
  if (chain.stages.size() < 2) return Failure{"there is no chain: the program has one stage"};
  if (!chain.steps.empty() || !chain.tiles.empty())
    return Failure{"the chain goes in step already: use this rule before in-step"};
  const StageGraph graph = stage_graph(chain);
  const Program q = with_stages(p, chain, [&](const Expr& value, std::size_t stage) {
    if (!needs_array(chain.stages[stage]) || rank_of(value.type()) < 2 ||
        !can_stay_in_step(chain, graph, stage, 1, width))
      return value;
    return ring(value.is(Op::ToGlobal) ? value.child(0) : value, shape_of(value.type(), 1)[0]);
  });
  if (q.body == p.body) return Failure{"no stage is read within tiles of " + a[0].str() + " rows alone"};
  return q;
}

/// What rings keep by the schedule around the chain.
Program with_fewest_planes(const Program& p) {
  const Chain chain = chain_of(p);
  const std::vector<Nat> planes = planes_of_rings(chain, stage_graph(chain));
  return with_stages(p, chain, [&](const Expr& value, std::size_t stage) {
    return value.is(Op::Ring) ? ring(value.child(0), planes.at(stage)) : value;
  });
}

Result<Program> in_tiles(const Program& p, const Arguments& a) {
  const std::int64_t axis = number(a, 0), width = number(a, 1);
  if (width < 1) return Failure{"a tile of no planes; use a width of 1 or more"};
  const Chain chain = chain_of(p);
  for (const Expr& tiles : chain.tiles)
    if (step_axis(tiles) == axis)
      return Failure{"the chain goes in tiles along axis " + std::to_string(axis) + " already"};
  if (!chain.steps.empty()) return Failure{"the chain goes in step already: use this rule before in-step"};
  const Margins margins = least_margins(chain, stage_graph(chain), static_cast<std::size_t>(axis));
  if (!margins.obstacle.empty()) return Failure{margins.obstacle};
  const Place at = place_of_chain(chain);
  Program q = p;
  q.body = replaced_at(
      p.body, at, make(Op::InTiles, {part_at(p.body, at)}, attributes::steps(axis, width, margins.by_stage)));
  return with_fewest_planes(q);
}

/// Directly around the chain: of several, the one applied first is the outermost loop.
Result<Program> in_step(const Program& p, const Arguments& a) {
  const std::int64_t axis = number(a, 0), width = number(a, 1);
  if (width < 1) return Failure{"a step of no iterations; use a width of 1 or more"};
  const Chain chain = chain_of(p);
  for (const Expr& s : chain.steps)
    if (step_axis(s) == axis)
      return Failure{"the chain goes in step along axis " + std::to_string(axis) + " already"};
  const bool in_rings = std::any_of(chain.stages.begin(), chain.stages.end(), is_ring);
  const bool around = in_rings && axis == 1 && chain.steps.empty() && chain.tiles.empty();
  const bool within = axis == 0 && (chain.steps.empty() || step_axis(chain.steps.back()) == 1);
  if (in_rings && !around && !within)
    return Failure{
        "the planes of rings follow one another along axis 0: go in step along it, within steps along axis 1 "
        "at most"};
  const StageGraph graph = stage_graph(chain);
  const Lags lags = around ? lags_around_rings(chain, graph, 1, width)
                           : lags_in_step(chain, graph, static_cast<std::size_t>(axis), width, 0);
  if (!lags.obstacle.empty()) return Failure{lags.obstacle};
  if (const std::string why = why_copies_are_late(chain, graph); chain.tiles.empty() && !why.empty())
    return Failure{why};
  const Place at = place_of_chain(chain);
  Program q = p;
  q.body = replaced_at(
      p.body, at, make(Op::InStep, {part_at(p.body, at)}, attributes::steps(axis, width, lags.by_stage)));
  return in_rings ? with_fewest_planes(q) : q;
}

/// The innermost in_step.
Result<Program> wait_once(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  if (chain.steps.empty()) return Failure{"no chain goes in step"};
  const Expr& step = chain.steps.back();
  if (!step.is(Op::InStep)) return Failure{"the threads wait once a step already"};
  const auto axis = static_cast<std::size_t>(step_axis(step));
  const std::int64_t width = step_width(step);
  const Lags lags = lags_in_step(chain, stage_graph(chain), axis, width, width);
  if (!lags.obstacle.empty()) return Failure{lags.obstacle};
  Place at = place_of_chain(chain);
  at.pop_back();  // the in_step
  Program q = p;
  q.body = replaced_at(p.body, at,
                       make(Op::InStepTeam, {step.child(0)},
                            attributes::steps(step_axis(step), step_width(step), lags.by_stage)));
  return with_fewest_planes(q);
}

/// The outermost in_step of several.
Result<Program> doacross(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  if (chain.steps.empty()) return Failure{"no chain goes in step"};
  const Expr& outer = chain.steps.front();
  if (outer.is(Op::InStepDoacross)) return Failure{"the threads take the steps in turns already"};
  if (!outer.is(Op::InStep)) return Failure{"the threads share what a step does already"};
  if (const std::string why = why_not_doacross(chain, stage_graph(chain)); !why.empty()) return Failure{why};
  Place at = place_of_chain(chain);
  at.resize(at.size() - chain.steps.size());
  Program q = p;
  q.body = replaced_at(p.body, at, make(Op::InStepDoacross, {outer.child(0)}, outer.attr(), origin(outer)));
  return q;
}

/// Loops that threads share, in the order in which they are gone through; none within another one.
void shared_loops(const Expr& e, Place& at, std::vector<Place>& found) {
  if (e.is(Op::MapPar)) return found.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    shared_loops(e.child(i), at, found);
    at.pop_back();
  }
}

/// Each is joined to the one before it; which of them can be is for lowering to see.
Result<Program> join_loops(const Program& p, const Arguments& a) {
  const std::int64_t how = number(a, 0);
  if (how < 1 || how > 2) return Failure{"1 (rows) or 2 (elements, too), got " + a[0].str()};
  const Chain chain = chain_of(p);
  if (!chain.steps.empty() || !chain.tiles.empty()) return Failure{"the chain goes in step, or in tiles"};
  std::vector<Place> loops;
  Place at;
  shared_loops(p.body, at, loops);
  if (loops.size() < 2) return Failure{"there are no two loops that threads share"};
  Program q = p;
  for (std::size_t l = 1; l < loops.size(); ++l)
    q.body = replaced_at(q.body, loops[l], with_option(part_at(q.body, loops[l]), LoopOption::Joined, how));
  return q;
}

}  // namespace

std::vector<Rule> time_rules() {
  return {
      program_rule("join-loops",
                   "let x1 = map_par f x0 in let x2 = map_par g x1 in ... = ... let x2 = map_par<joined how> "
                   "g x1 in ...",
                   join_loops)
          .takes("how", "1: rows after rows, 2: elements after elements, too")
          .says("stages that meet row by row share one loop over rows, with 2 also those over elements"),
      program_rule("two-arrays",
                   "let x1 = S1 x0 in let x2 = S2 x1 in let x3 = S3 x2 in ... = ... let x3 = update_in_place "
                   "x1 (S3 x2) in ...",
                   two_arrays)
          .says("stages between the first and the last take turns in two arrays: each overwrites the one "
                "before the one that "
                "it reads"),
      program_rule("overwrite-bases",
                   "let x = update base block in ... = let x = update_in_place base block in ...",
                   overwrite_bases)
          .says("stages overwrite the arguments that they update, as far as nothing reads the old contents "
                "afterwards"),
      program_rule("rings", "let x1 = S1 x0 in ... Sn = let x1 = ring n (S1 x0) in ... Sn", rings)
          .says("of each stage but the last, those planes are stored that later ones still read, once the "
                "stages go in step"),
      program_rule("rings-in-turns", "let x1 = S1 x0 in ... Sn = let x1 = ring n (S1 x0) in ... Sn",
                   rings_in_turns)
          .takes("width", "rows of a step along axis 1")
          .says("of stages that are read within tiles of %1 rows, those planes are stored that later ones "
                "still "
                "read, once the stages go in step along axes 1 and 0"),
      program_rule("in-tiles",
                   "let x1 = S1 x0 in ... Sn = in_tiles axis width margins (let x1 = S1 x0 in ... Sn)",
                   in_tiles)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "planes of the finest grid in a tile")
          .says(
              "the chain is computed for %2 planes of its result along axis %1 at a time, in parallel, each "
              "stage as far beyond them as later ones read"),
      program_rule("in-step", "let x1 = S1 x0 in ... Sn = in_step axis width lags (let x1 = S1 x0 in ... Sn)",
                   in_step)
          .takes("axis", "of the arrays that the stages make, 0 the outermost")
          .takes("width", "iterations of each stage in a step")
          .says("the stages go along axis %1 together, %2 iterations of each a step, each stage as far "
                "behind as "
                "its dependences ask"),
      program_rule("wait-once", "in_step axis width lags chain = in_step_team axis width larger-lags chain",
                   wait_once)
          .says("each stage stays a step further behind, so that the stages of a step are independent and "
                "the threads "
                "wait for one another once a step"),
      program_rule("doacross",
                   "in_step axis width lags (in_step ... chain) = in_step_doacross axis width lags (in_step "
                   "... chain)",
                   doacross)
          .says("threads take the steps of the outer axis in turns, each as soon as the thread of the step "
                "before is ahead of it along the inner axis"),
  };
}

}  // namespace lift
