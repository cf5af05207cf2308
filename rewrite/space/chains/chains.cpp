// Chains of stages whose loops differ, as a kind of program: half-sweeps, then what they leave over on a
// coarser grid; fields that are updated in turn. All stages' loops run alike; what is decided is how they
// follow one another.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/space/chains/chains.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

const std::vector<const ChainDecision*>& chain_decisions() {
  static const auto& all = *new std::vector<const ChainDecision*>{
      &chain::in_place(), &chain::layout(), &chain::time(), &chain::strips(), &chain::team(),
      &chain::inner(),    &chain::width(),  &chain::late(), &chain::stream()};
  return all;
}

class Chains : public KindWith<ChainFacts> {
 public:
  explicit Chains(Form form) : KindWith(std::move(form), {}) {
    for (const ChainDecision* d : chain_decisions()) add(bound(*d)), say(bound(*d));
    for (const common::CommonDecision* d : {&common::joined(), &common::readonly()})
      add(bound_common(*d)), say(bound_common(*d));
  }

  std::vector<Wishes> first_guesses() const override {
    const ChainFacts& f = facts();
    std::vector<Wishes> r = in_turns();
    for (const std::int64_t width :
         shares_steps(f) ? std::vector<std::int64_t>{16, 4} : std::vector<std::int64_t>{1, 16}) {
      Wishes w{{key::time, AxisSizes{{{*f.steps, width}}}},
               {key::inner, Inner::vec},
               {key::late, f.in_place},
               {key::team, shares_steps(f)},
               {key::stream, f.last_bytes > kOfCaches && f.lanes > 1 && !f.on_grid()}};
      if (f.colour_axes > 0) {
        Wishes split = w;
        split.set(key::layout, Choice{kSplitLayout, {f.colour_axes, 1}});
        split.set(key::inner, Inner::strided_vec), split.set(key::late, false), split.set(key::stream, false);
        r.push_back(std::move(split));
      }
      if (f.tiles && f.around < f.options.threads) w.set(key::strips, strips_a_thread(f, 1));
      r.push_back(std::move(w));
    }
    r.push_back({{key::inner, Inner::vec}, {key::late, f.in_place}});
    r.emplace_back();
    return r;
  }

  /// Stages in place: tiles as large as leave two for each thread.
  std::vector<Wishes> in_turns() const {
    const ChainFacts& f = facts();
    if (!f.rows || f.tiles || f.around >= f.options.threads || f.options.threads < 2) return {};
    const std::int64_t rows = f.row_count > 0 ? f.row_count : 256;
    std::int64_t width = 32;
    while (width > 8 && rows < width * 2 * f.options.threads) width /= 2;
    return {{{key::time, AxisSizes{{{*f.rows, width}, {*f.steps, 1}}}},
             {key::inner, Inner::vec},
             {key::late, f.in_place},
             {key::team, true}}};
  }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    Deriver d(start);
    if (f.copies && !c[key::strips].empty())
      for (const Place& p : named_results(d.program()))
        d.step("identity-map", {std::int64_t{rank_of(d.part(p).type())}}, p);
    take(chain::in_place(), d, f, c);
    derive_reductions_in_loops(d, is_vector(c) ? c[key::width] : 1);
    const bool steps = !c[key::time].empty(), turns = c[key::time].list.size() > 1;
    run_other_loops(d, f,
                    {!steps || f.around >= f.options.threads || (!f.tiles && !turns), is_vector(c), false,
                     c[key::width]});
    for (const ChainStage& s : chain_of(d.program()).stages)
      if (overwrites_base(s.value)) take(chain::late(), d, f, c, s.place);
    take(chain::inner(), d, f, c);
    take(chain::stream(), d, f, c);
    take(common::joined(), d, f, c);
    take(common::readonly(), d, f, c);
    take(chain::strips(), d, f, c);  // around the steps
    take(chain::time(), d, f, c);
    take(chain::team(), d, f, c);
    take(chain::layout(), d, f, c);  // by which arguments have other names
    run_scans(d);
    return d.result();
  }
};

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
bool is_of_this_kind(const Program& program, const SpaceOptions& options) {
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

std::unique_ptr<Kind> chains(const Rewriting& start, const SpaceOptions& options) {
  if (!is_of_this_kind(start.program, options)) return nullptr;
  ChainFacts f = chain_facts(start.program, options);
  if (!f.steps) return nullptr;
  return std::make_unique<Chains>(Chains::Form{start, std::move(f)});
}

std::vector<RegisteredDecision> registered_chain_decisions() {
  std::vector<RegisteredDecision> r;
  for (const ChainDecision* d : chain_decisions()) r.push_back({d->key, d->switched});
  return r;
}

}  // namespace lift
