// Rules about chains: which stages overwrite arrays, and which share loops.
#include <algorithm>
#include <optional>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/stage_graph.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

std::string why_not_two_arrays(const Chain& chain) {
  if (chain.stages.size() < 3)
    return "there are fewer than three stages, which need no two arrays between them";
  if (std::count_if(chain.stages.begin(), chain.stages.end(), [](const ChainStage& s) { return s.result; }) >
      1)
    return "the chain has several results";
  if (!chain.stages.back().result) return "its result is not what the last stage makes";
  if (!chain.going(Band::skewed).empty())
    return "the chain goes in step already: use this rule before in-step";
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

/// What surrounds the blocks of updates is the same in all arrays: each may get it from the first base, or
/// find it where an array is overwritten.
Result<Program> two_arrays(const Program& p, const Arguments&) {
  const Chain chain = chain_of(p);
  if (const std::string why = why_not_two_arrays(chain); !why.empty()) return Failure{why};
  for (std::size_t i = 0; i + 1 < chain.stages.size(); ++i)
    if (chain.stages[i + 1].place.size() > chain.stages[i].place.size() + 2)
      return Failure{"a let between the stages names what is no stage: use it where it is read"};
  const Place at = chain.place();
  const Expr whole = part_at(p.body, at);
  const Type type = whole.type();
  if (!(type == chain.stages[0].value.type()))
    return Failure{"its result is " + type.str() + ", another one than each stage makes"};
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
    if (u.is(Op::Update) && !is_update(u.child(0).op()) && !is_stage(graph.stages[i].storage) &&
        !moves(graph.stages[i].storage))
      q.body = replaced_at(q.body, chain.stages[i].place,
                           make(Op::UpdateInPlace, {u.child(0), u.child(1)}, u.attr(), origin(u)));
  }
  if (q.body == p.body) return Failure{"no stage may overwrite its base"};
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
  if (!chain.bands.empty()) return Failure{"the chain goes in step, or in tiles"};
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
  };
}

}  // namespace lift
