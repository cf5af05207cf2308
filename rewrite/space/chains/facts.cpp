// What is known of a chain of stages.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/colours.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/chains/chains.hpp"

namespace lift {
namespace {

/// Iterations of the maps above the chain, 1000 for those of no known number.
std::int64_t iterations_around(const Expr& body, const Place& chain) {
  std::int64_t n = 1;
  Expr e = body;
  for (const int child : chain) {
    if (is_map(e.op()) && child == 0)
      for (const Nat& length : shape_of(e.type(), op_rank(e))) n *= length.constant().value_or(1000);
    e = e.child(static_cast<std::size_t>(child));
  }
  return n;
}

/// Stages over cells of one colour, by the sum of how many innermost indices it is told, and the arguments
/// that they read or update, where all of these have so many dimensions: they can be stored a colour after
/// the other.
void find_colours(const Program& program, const Chain& chain, const StageGraph& graph, NestFacts& f) {
  std::map<std::string, std::string> storage;  // by stage
  std::set<std::string> coloured;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const ChainStage& s = chain.stages[i];
    storage[s.name] = graph.stages[i].storage;
    const auto element = stage_element(s.value);
    if (!element->unknown.empty()) continue;
    const std::int64_t axes = colours_of(element->written.guard, element->written.index).axes;
    if (axes == 0) continue;
    f.parity_axes = std::max(f.parity_axes, axes);
    for (const Expr& x : params_of(s.value)) {
      const auto it = storage.find(param_name(x));
      coloured.insert(it == storage.end() ? param_name(x) : it->second);
    }
  }
  for (const Expr& a : program.arguments)
    if (a.type().is_array() && coloured.contains(param_name(a))) {
      f.chain.coloured.push_back(param_name(a));
      if (rank_of(a.type()) < f.parity_axes) f.parity_axes = 0;
    } else if (a.type().is_array()) {
      f.chain.apart.push_back(param_name(a));
    }
}

/// Whether loops of a stage are within that along axis 1: it can be gone along in steps, and those are left
/// for vectors.
bool has_loops_in_rows(const ChainStage& s) {
  const Type& type = s.value.type();
  const auto reduces = [&] { return contains(s.value, [](const Expr& e) { return is_reduce(e.op()); }); };
  return type.is_array() && (rank_of(type) > 2 || (rank_of(type) == 2 && reduces()));
}

using RuleWithArguments = std::pair<const char*, Arguments>;
bool all_apply(Program p, const std::vector<RuleWithArguments>& rules) {
  for (const auto& [rule, arguments] : rules) {
    const auto r = apply(find_rule(rule), p, {}, arguments);
    if (!r) return false;
    p = *r;
  }
  return true;
}

/// Whether threads can take tiles of rows in turns, all stages in whole arrays or in place.
bool can_take_turns(const Program& program) {
  const Chain chain = chain_of(program);
  return std::all_of(chain.stages.begin(), chain.stages.end(), has_loops_in_rows) &&
         all_apply(program, {{"in-step", {1, 16}}, {"in-step", {0, 1}}, {"doacross", {}}});
}

}  // namespace

bool can_take_turns_in_rings(const Program& program, std::int64_t rows) {
  return all_apply(
      program, {{"rings-in-turns", {rows}}, {"in-step", {1, rows}}, {"in-step", {0, 1}}, {"doacross", {}}});
}

std::vector<Place> last_results(const Expr& body) {
  Place at;
  Expr e = body;
  for (; e.is(Op::Let); e = e.child(1).child(0)) at = let_body(at);
  std::vector<Place> r;
  const auto add = [&](const Expr& result, Place place) {
    const bool update = result.is(Op::Update);  // of another array: what it leaves of that is copied
    if (update) place.push_back(1);
    if (is_map(update ? result.child(1).op() : result.op())) r.push_back(std::move(place));
  };
  if (!e.is(Op::Tuple)) return add(e, at), r;
  for (std::size_t i = 0; i < e.children().size(); ++i)
    add(e.child(i), component_of(at, static_cast<int>(i)));
  return r;
}

NestFacts chain_facts(const Program& program, const SpaceOptions& options) {
  NestFacts f;
  f.inside = Inside::stages;
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  for (const Place& p : last_results(program.body)) {
    std::int64_t elements = 1;
    for (const Nat& n : shape_of(part_at(program.body, p).type())) elements *= n.constant().value_or(1024);
    f.chain.last_bytes += elements * f.element_bytes;
  }
  Program p = program;
  if (const auto in_place = apply(find_rule("overwrite-bases"), p, {})) f.in_place = true, p = *in_place;
  const Program stored = p;
  if (const auto rings = apply(find_rule("rings"), p, {})) f.chain.rings = true, p = *rings;
  const Chain chain = chain_of(p);
  f.chain.around = iterations_around(program.body, chain.stages[0].place);
  if (chain.stages.size() < 2) return f;
  const StageGraph graph = stage_graph(chain);
  const Shifts lags = least_shifts(chain, graph, Band::skewed, 0);
  const Type& first = chain.stages[0].value.type();
  if (!lags.obstacle.empty() || go_apart(lags, shape_of(first)[0].constant())) return f;
  f.chain.steps = loop_axis(static_cast<std::size_t>(rank_of(first)) - 1);
  for (const StageWrites& w : graph.stages)
    f.chain.planes = std::max(f.chain.planes, (w.scale.at(0) * w.extents.at(0)).constant().value_or(0));
  if (can_take_turns(stored)) {
    f.chain.rows = loop_axis(static_cast<std::size_t>(rank_of(first)) - 2);
    for (const StageWrites& w : graph.stages)
      f.chain.row_count =
          std::max(f.chain.row_count, (w.scale.at(1) * w.extents.at(1)).constant().value_or(0));
  }
  if (!options.only_layout) find_colours(program, chain, graph, f);
  f.chain.tiles = least_shifts(chain, graph, Band::overlapped, 0).obstacle.empty();
  if (!f.chain.tiles && !named_results(program).empty()) {
    Program copied = with_results_copied({program, {}}).program;
    if (const auto in_place = apply(find_rule("overwrite-bases"), copied, {})) copied = *in_place;
    if (const auto rings = apply(find_rule("rings"), copied, {})) copied = *rings;
    const Chain kept = chain_of(copied);
    f.chain.copies = f.chain.tiles =
        least_shifts(kept, stage_graph(kept), Band::overlapped, 0).obstacle.empty();
    f.chain.rings = f.chain.rings || f.chain.copies;
  }
  f.joins_stages = have_joined_stages(program);
  return f;
}

}  // namespace lift
