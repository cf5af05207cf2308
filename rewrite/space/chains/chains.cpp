// Chains of stages whose loops differ: half-sweeps, then what they leave over on a
// coarser grid; fields that are updated in turn. All stages' loops run alike; what is decided is how they
// follow one another.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/analysis/stage_loops.hpp"
#include "rewrite/space/chains/chains.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

/// Whether a stage goes through its array a colour after the other. What it makes of cells' blocks, or of
/// other cells' blocks, is of one colour already: an array on a coarser grid stays as it is.
bool is_by_colour(const NestFacts& f, const ChainStage& s) {
  if (positions_an_iteration(s.value, static_cast<std::size_t>(rank_of(s.value.type())) - 1).value_or(1) > 1)
    return false;
  const auto base = updated_array(s.value);
  return !base ||
         std::find(f.chain.apart.begin(), f.chain.apart.end(), param_name(*base)) == f.chain.apart.end();
}

/// Loops over vectors of one colour, where arrays are stored by colours.
void run_by_colour(Deriver& d, const NestFacts& f) {
  for (const ChainStage& s : chain_of(d.program()).stages) {
    if (!is_by_colour(f, s)) continue;
    for (const Place& loop : places_of(d, s.place, Op::MapVec)) d.try_step("strided", {2}, loop);
  }
}

/// Of arguments, and of stages that have arrays of their own.
void lay_out(Deriver& d, const NestFacts& f, const Configuration& c) {
  Arguments arguments = layout_arguments(c);
  if (arguments.empty()) return;
  for (const ChainStage& s : chain_of(d.program()).stages)
    if (d.part(s.place).is(Op::Ring)) d.step("in-layout", arguments, content_of(s.place));
  if (!f.chain.apart.empty())
    arguments.insert(arguments.end(), f.chain.coloured.begin(), f.chain.coloured.end());
  d.step("layout", arguments, {});
}

/// Strips around steps.
void go_in_step(Deriver& d, const NestFacts& f, const Configuration& c) {
  const std::vector<AxisSize>& steps = c[key::time].list;
  if (f.chain.rings && steps.size() == 1) d.try_step("rings", {}, {});
  for (const AxisSize& s : c[key::strips].list) d.step("in-tiles", {0, s.size}, {});
  if (steps.size() > 1 && can_take_turns_in_rings(d.program(), steps[0].size))
    d.step("rings-in-turns", {steps[0].size}, {});
  for (std::size_t s = 0; s < steps.size(); ++s)
    d.step("in-step", {static_cast<std::int64_t>(steps.size() - 1 - s), steps[s].size}, {});
}

/// Stages in place: tiles as large as leave two for each thread.
std::vector<Wishes> in_turns(const NestFacts& f) {
  if (!f.chain.rows || f.chain.tiles || f.chain.around >= f.options.threads || f.options.threads < 2)
    return {};
  const std::int64_t rows = f.chain.row_count > 0 ? f.chain.row_count : 256;
  std::int64_t width = 32;
  while (width > 8 && rows < width * 2 * f.options.threads) width /= 2;
  return {{{key::time, AxisSizes{{{*f.chain.rows, width}, {*f.chain.steps, 1}}}},
           {key::inner, Inner::vec},
           {key::late, f.in_place},
           {key::team, true}}};
}

/// Arrays, some of which are made of named ones.
bool has_several_results(const Chain& chain) {
  const auto is_stage = [&](const Expr& x) {
    return std::any_of(chain.stages.begin(), chain.stages.end(),
                       [&](const ChainStage& s) { return s.makes(param_name(x)); });
  };
  const bool follow = std::any_of(chain.stages.begin(), chain.stages.end(), [&](const ChainStage& s) {
    const auto read = params_of(s.value);
    return std::any_of(read.begin(), read.end(), is_stage);
  });
  return follow && chain.result.is(Op::Tuple) && chain.afterwards.empty();
}

/// Whether some stages are on coarser grids than others.
bool are_on_several_grids(const Chain& chain) {
  const std::vector<StageWrites> stages = stage_graph(chain).stages;
  return std::any_of(stages.begin(), stages.end(),
                     [&](const StageWrites& w) { return !(w.scale == stages.front().scale); });
}

/// A chain of which no one nest of loops speaks.
bool are_stages(const Program& program, const SpaceOptions& options) {
  if (is_grid(options.target)) return false;
  if (contains(program.body, [](const Expr& e) { return is_scan(e.op()) || e.is(Op::Iterate); }))
    return false;
  const Chain chain = chain_of(program);
  if (chain.stages.size() < 2) return false;
  const bool updates = std::any_of(chain.stages.begin(), chain.stages.end(), [](const ChainStage& s) {
    return !s.result && updated_array(s.value).has_value();
  });
  if (!stages_of(program.body).empty()) return updates || are_on_several_grids(chain);
  if (sweeps_of(program.body).size() > 1) return !have_one_nest(program);
  return updates || has_several_results(chain);
}

}  // namespace

std::vector<Wishes> chain::first_guesses(const NestFacts& f, const NestFacts*) {
  std::vector<Wishes> r = in_turns(f);
  for (const std::int64_t width :
       shares_steps(f) ? std::vector<std::int64_t>{16, 4} : std::vector<std::int64_t>{1, 16}) {
    Wishes w{{key::time, AxisSizes{{{*f.chain.steps, width}}}},
             {key::inner, Inner::vec},
             {key::late, f.in_place},
             {key::team, shares_steps(f)},
             {key::stream, f.chain.last_bytes > kOfCaches && f.lanes > 1 && !f.on_grid()}};
    if (f.parity_axes > 0) {
      Wishes split = w;
      split.set(key::layout, Choice{kSplitLayout, {f.parity_axes, 1}});
      split.set(key::inner, Inner::strided_vec), split.set(key::late, false), split.set(key::stream, false);
      r.push_back(std::move(split));
    }
    if (f.chain.tiles && f.chain.around < f.options.threads) w.set(key::strips, strips_a_thread(f, 1));
    r.push_back(std::move(w));
  }
  r.push_back({{key::inner, Inner::vec}, {key::late, f.in_place}});
  r.emplace_back();
  return r;
}

Rewriting chain::derive(const Rewriting& start, const NestFacts& f, const Configuration& c) {
  NestDeriver d(f.chain.copies && !c[key::strips].empty() ? with_results_copied(start) : start, f);
  if (c[key::in_place]) d.try_step("overwrite-bases", {}, {});
  derive_reductions_in_loops(d, is_vector(c) ? c[key::width] : 1);
  const bool steps = !c[key::time].empty(), turns = c[key::time].list.size() > 1;
  run_other_loops(d, f,
                  {!steps || f.chain.around >= f.options.threads || (!f.chain.tiles && !turns), is_vector(c),
                   false, c[key::width]});
  if (c[key::late])
    for (const ChainStage& s : chain_of(d.program()).stages)
      if (overwrites_base(s.value))
        for (const Place& loop : places_of(d, s.place, Op::MapVec)) d.try_step("late-store", loop);
  if (c[key::inner] == Inner::strided_vec) run_by_colour(d, f);
  if (c[key::stream])
    for (const Place& result : last_results(d.program().body)) d.step("stream", result);
  take({&decisions::joined(), &decisions::readonly()}, d, f, c);
  go_in_step(d, f, c);
  take(decisions::team(), d, f, c);
  lay_out(d, f, c);  // last: arguments have other names by it
  run_scans(d);
  return d.result();
}

std::optional<NestFacts> chain_in_step(const Program& program, const SpaceOptions& options) {
  if (!are_stages(program, options)) return std::nullopt;
  NestFacts f = chain_facts(program, options);
  return f.chain.steps ? std::optional(std::move(f)) : std::nullopt;
}

}  // namespace lift
