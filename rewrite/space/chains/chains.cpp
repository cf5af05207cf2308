// Chains of stages whose loops differ, as a kind of program: half-sweeps, then what they leave over on a
// coarser grid; fields that are updated in turn. All stages' loops run alike; what is decided is how they
// follow one another.
#include <algorithm>
#include <map>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/colours.hpp"
#include "rewrite/analysis/lags.hpp"
#include "rewrite/analysis/overlap.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/analysis/stage_loops.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/block_form.hpp"
#include "rewrite/space/kind.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

struct ChainFacts : ProgramFacts {
  bool in_place = false;             ///< updates may overwrite their bases
  bool rings = false;                ///< some stages need arrays of their own
  bool tiles = false;                ///< the chain can be computed a tile of its result at a time
  bool copies = false;               ///< so it can where results that other stages read are copied
  std::optional<std::string> steps;  ///< the outermost axis of the stages' arrays, if they can go along it
  std::int64_t around = 1;           ///< iterations of the loops around the chain
  std::int64_t last_bytes = 0;       ///< of results that no stage reads
  std::int64_t planes = 0;           ///< of all stages along that axis, of the finest grid; 0: not known
  std::size_t stages = 1;
  std::int64_t colour_axes = 0;       ///< of stages that update cells of one colour: see Colours; 0: none do
  std::vector<std::string> coloured;  ///< arguments that these stages read or update
  std::vector<std::string> apart;     ///< further arrays, on a coarser grid, say
};
using ChainDecision = Decision<ChainFacts>;

/// Results that have a name, and are read by other stages: in tiles they would be written by two of them, so
// that each is copied to where the result goes, and kept as far as it is read.
std::vector<Place> named_results(const Program& program) {
  std::vector<Place> r;
  Place at;
  Expr e = program.body;
  for (; e.is(Op::Let) && e.child(1).is(Op::Lambda); e = e.child(1).child(0)) at.insert(at.end(), {1, 0});
  for (std::size_t i = 0; e.is(Op::Tuple) && i < e.children().size(); ++i)
    if (e.child(i).is(Op::Bound) && e.child(i).type().is_array())
      r.push_back(component_of(at, static_cast<int>(i)));
  return r;
}
Rewriting with_results_copied(Rewriting r) {
  for (const Place& p : named_results(r.program))
    r = run(use("identity-map", {std::int64_t{rank_of(part_at(r.program.body, p).type())}}), std::move(r), p);
  return r;
}

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
void find_colours(const Program& program, const Chain& chain, const StageGraph& graph, ChainFacts& f) {
  std::map<std::string, std::string> storage;  // by stage
  std::set<std::string> coloured;
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const ChainStage& s = chain.stages[i];
    storage[s.name] = graph.stages[i].storage;
    const auto element = stage_element(s.value);
    if (!element->unknown.empty()) continue;
    const std::int64_t axes = colours_of(element->written.guard, element->written.index).axes;
    if (axes == 0) continue;
    f.colour_axes = std::max(f.colour_axes, axes);
    for (const Expr& x : params_of(s.value)) {
      const auto it = storage.find(param_name(x));
      coloured.insert(it == storage.end() ? param_name(x) : it->second);
    }
  }
  for (const Expr& a : program.arguments)
    if (a.type().is_array() && coloured.contains(param_name(a))) {
      f.coloured.push_back(param_name(a));
      if (rank_of(a.type()) < f.colour_axes) f.colour_axes = 0;
    } else if (a.type().is_array()) {
      f.apart.push_back(param_name(a));
    }
}

/// Results that no stage reads again: what comes after all names, and is no name.
std::vector<Place> last_results(const Expr& body) {
  Place at;
  Expr e = body;
  for (; e.is(Op::Let) && e.child(1).is(Op::Lambda); e = e.child(1).child(0)) at = let_body(at);
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

ChainFacts chain_facts(const Program& program, const SpaceOptions& options) {
  ChainFacts f;
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  for (const Place& p : last_results(program.body)) {
    std::int64_t elements = 1;
    for (const Nat& n : shape_of(part_at(program.body, p).type())) elements *= n.constant().value_or(1024);
    f.last_bytes += elements * f.element_bytes;
  }
  Program p = program;
  if (const auto in_place = apply(find_rule("overwrite-bases"), p, {})) f.in_place = true, p = *in_place;
  if (const auto rings = apply(find_rule("rings"), p, {})) f.rings = true, p = *rings;
  const Chain chain = chain_of(p);
  f.stages = chain.stages.size();
  f.around = iterations_around(program.body, chain.stages[0].place);
  if (f.stages < 2) return f;
  const StageGraph graph = stage_graph(chain);
  const Lags lags = least_lags(chain, graph, 0);
  const Type& first = chain.stages[0].value.type();
  if (!lags.obstacle.empty() || go_apart(lags, shape_of(first)[0].constant())) return f;
  f.steps = loop_axis(static_cast<std::size_t>(rank_of(first)) - 1);
  for (const StageWrites& w : graph.stages)
    f.planes = std::max(f.planes, (w.scale.at(0) * w.extents.at(0)).constant().value_or(0));
  if (!options.only_layout) find_colours(program, chain, graph, f);
  f.tiles = least_margins(chain, graph, 0).obstacle.empty();
  if (!f.tiles && !named_results(program).empty()) {
    Program copied = with_results_copied({program, {}}).program;
    if (const auto in_place = apply(find_rule("overwrite-bases"), copied, {})) copied = *in_place;
    if (const auto rings = apply(find_rule("rings"), copied, {})) copied = *rings;
    const Chain kept = chain_of(copied);
    f.copies = f.tiles = least_margins(kept, stage_graph(kept), 0).obstacle.empty();
    f.rings = f.rings || f.copies;
  }
  f.joins_stages = have_joined_stages(program);
  return f;
}

const ChainDecision& in_place() {
  static const auto& d =
      *new ChainDecision(decide<ChainFacts>(key::in_place)
                             .offers([](const ChainFacts& f) { return std::vector<bool>{f.in_place}; })
                             .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
                               if (c[key::in_place]) d.try_step("overwrite-bases", {}, {});
                             })
                             .said([](const ChainFacts&, const Configuration& c) {
                               return std::string(c[key::in_place] ? "in place" : "");
                             }));
  return d;
}

/// No loops around and no tiles to give each thread its own: a stage's planes of a step are what is shared.
bool shares_steps(const ChainFacts& f) {
  return f.around < f.options.threads && !f.tiles && f.options.threads > 1;
}

AxisSizes strips_a_thread(const ChainFacts& f, std::int64_t each) {
  const std::int64_t threads = each * f.options.threads,
                     planes = f.planes > 0 ? f.planes : 256 * f.options.threads;
  return {{{*f.steps, (planes + threads) / threads}}};
}

/// A plane a step, or several.
const ChainDecision& time() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::time)
          .offers([](const ChainFacts& f) {
            std::vector<AxisSizes> r{{}};
            for (const std::int64_t width : {1, 4, 16}) r.push_back({{{*f.steps, width}}});
            return r;
          })
          .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
            for (const AxisSize& step : c[key::time].list) d.step("in-step", {0, step.size}, {});
          })
          .said([](const ChainFacts&, const Configuration& c) -> std::string {
            return c[key::time].empty() ? "" : "in step along " + c[key::time].list[0].axis;
          }));
  return d;
}

/// Where there are too few loops around for all threads, strips of the result; see nest/strips.cpp.
const ChainDecision& strips() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::strips)
          .offers([](const ChainFacts& f) {
            std::vector<AxisSizes> r{{}};
            if (!f.tiles || f.around >= f.options.threads) return r;
            for (const std::int64_t each : {1, 4}) r.push_back(strips_a_thread(f, each));
            return r;
          })
          .admitted([](const ChainFacts&, const Configuration& c, const AxisSizes& strip) {
            return strip.empty() || !c[key::time].empty();
          })
          .taken([](Deriver& d, const ChainFacts& f, const Configuration& c, const Place&) {
            if (f.rings && !c[key::time].empty()) d.try_step("rings", {}, {});
            for (const AxisSize& s : c[key::strips].list) d.step("in-tiles", {0, s.size}, {});
          })
          .said([](const ChainFacts&, const Configuration& c) -> std::string {
            return c[key::strips].empty() ? "" : "strips of " + c[key::strips].list[0].axis;
          }));
  return d;
}

/// Threads that share what a stage does in a step wait after each stage, or once a step.
const ChainDecision& team() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::team)
          .offers([](const ChainFacts& f) {
            return shares_steps(f) ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted([](const ChainFacts&, const Configuration& c, bool team) {
            return !team || (!c[key::time].empty() && c[key::time].list[0].size > 1);
          })
          .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
            if (c[key::team]) d.step("wait-once", {});
          })
          .said("threads wait once a step"));
  return d;
}

/// Of stages in place: a vector is stored after the loads of the next, which overlap it.
const ChainDecision& late() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::late)
          .offers([](const ChainFacts& f) {
            return f.in_place && f.lanes > 1 ? std::vector<bool>{false, true} : std::vector<bool>{false};
          })
          .admitted(
              [](const ChainFacts&, const Configuration& c, bool late) { return !late || is_vector(c); })
          .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place& stage) {
            if (!c[key::late]) return;
            for (const Place& loop : places_of(d, stage, Op::MapVec)) d.try_step("late-store", loop);
          })
          .said("late store"));
  return d;
}

/// As the caller has them, or by colours, where half-sweeps read and write vectors of one.
const ChainDecision& layout() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::layout)
          .offers([](const ChainFacts& f) {
            std::vector<Choice> r{{kCallerLayout, {}}};
            if (f.colour_axes > 0 && f.in_place && f.lanes > 1)
              r.push_back({kSplitLayout, {f.colour_axes, 1}});  // not padded: see nest/layout.cpp
            return r;
          })
          .admitted([](const ChainFacts&, const Configuration& c, const Choice& layout) {
            return layout.index == kCallerLayout || c[key::in_place];
          })
          .taken([](Deriver& d, const ChainFacts& f, const Configuration& c, const Place& at) {
            const Choice& layout = c[key::layout];
            if (layout.index == kCallerLayout) return;
            Arguments arguments{key::layout.words[static_cast<std::size_t>(layout.index)]};
            arguments.insert(arguments.end(), layout.numbers.begin(), layout.numbers.end());
            for (const ChainStage& s : chain_of(d.program()).stages)  // stages that have arrays of their own
              if (d.part(s.place).is(Op::Ring)) d.step("in-layout", arguments, content_of(s.place));
            if (!f.apart.empty()) arguments.insert(arguments.end(), f.coloured.begin(), f.coloured.end());
            d.step("layout", arguments, at);
          })
          .said([](const ChainFacts&, const Configuration& c) {
            return std::string(c[key::layout].index == kCallerLayout ? "" : "split layout");
          }));
  return d;
}

/// Whether a stage goes through its array a colour after the other. What it makes of cells' blocks, or of
/// other cells' blocks, is of one colour already: an array on a coarser grid stays as it is.
bool is_by_colour(const ChainFacts& f, const ChainStage& s) {
  if (positions_an_iteration(s.value, static_cast<std::size_t>(rank_of(s.value.type())) - 1).value_or(1) > 1)
    return false;
  const auto base = updated_array(s.value);
  return !base || std::find(f.apart.begin(), f.apart.end(), param_name(*base)) == f.apart.end();
}

const ChainDecision& inner() {
  static const auto& d = *new ChainDecision(
      decide<ChainFacts>(key::inner)
          .offers([](const ChainFacts& f) {
            return f.lanes > 1 ? std::vector<Inner>{Inner::vec, Inner::seq, Inner::strided_vec}
                               : std::vector<Inner>{Inner::seq};
          })
          .admitted([](const ChainFacts&, const Configuration& c, Inner inner) {
            return (inner == Inner::strided_vec) == (c[key::layout].index == kSplitLayout);
          })
          .taken([](Deriver& d, const ChainFacts& f, const Configuration& c, const Place&) {
            if (c[key::inner] != Inner::strided_vec) return;
            for (const ChainStage& s : chain_of(d.program()).stages) {
              if (!is_by_colour(f, s)) continue;
              for (const Place& loop : places_of(d, s.place, Op::MapVec)) d.try_step("strided", {2}, loop);
            }
          })
          .said([](const ChainFacts&, const Configuration& c) {
            return key::inner.text(*c.find(key::inner));
          }));
  return d;
}

const ChainDecision& width() {
  static const auto& d =
      *new ChainDecision(decide<ChainFacts>(key::width)
                             .offers([](const ChainFacts& f) {
                               return f.lanes > 1 ? std::vector<std::int64_t>{f.lanes, 2 * f.lanes, 1}
                                                  : std::vector<std::int64_t>{1};
                             })
                             .admitted([](const ChainFacts&, const Configuration& c, std::int64_t w) {
                               return is_vector(c) == (w > 1);
                             }));
  return d;
}

/// Whether results that no stage reads again bypass the cache.
const ChainDecision& stream() {
  static const auto& d =
      *new ChainDecision(decide<ChainFacts>(key::stream)
                             .offers([](const ChainFacts& f) {
                               return f.last_bytes > 0 && f.lanes > 1 && !f.on_grid()
                                          ? std::vector<bool>{false, true}
                                          : std::vector<bool>{false};
                             })
                             .admitted([](const ChainFacts&, const Configuration& c, bool stream) {
                               return !stream || c[key::inner] == Inner::vec;
                             })
                             .taken([](Deriver& d, const ChainFacts&, const Configuration& c, const Place&) {
                               if (!c[key::stream]) return;
                               for (const Place& result : last_results(d.program().body))
                                 d.step("stream", result);
                             })
                             .said("streaming"));
  return d;
}

const std::vector<const ChainDecision*>& chain_decisions() {
  static const auto& all = *new std::vector<const ChainDecision*>{
      &in_place(), &layout(), &time(), &strips(), &team(), &inner(), &width(), &late(), &stream()};
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
    std::vector<Wishes> r;
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

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    Deriver d(start);
    if (f.copies && !c[key::strips].empty())
      for (const Place& p : named_results(d.program()))
        d.step("identity-map", {std::int64_t{rank_of(d.part(p).type())}}, p);
    take(in_place(), d, f, c);
    derive_reductions_in_loops(d, is_vector(c) ? c[key::width] : 1);
    const bool steps = !c[key::time].empty();
    run_other_loops(
        d, f, {!steps || f.around >= f.options.threads || !f.tiles, is_vector(c), false, c[key::width]});
    for (const ChainStage& s : chain_of(d.program()).stages)
      if (overwrites_base(s.value)) take(late(), d, f, c, s.place);
    take(inner(), d, f, c);
    take(stream(), d, f, c);
    take(common::joined(), d, f, c);
    take(common::readonly(), d, f, c);
    take(strips(), d, f, c);  // around the steps
    take(time(), d, f, c);
    take(team(), d, f, c);
    take(layout(), d, f, c);  // by which arguments have other names
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
