#include <algorithm>
#include <numeric>
#include <span>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/nat/shift.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/colours.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "rewrite/analysis/rings.hpp"
#include "rewrite/analysis/vector_loads.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/facts.hpp"

namespace lift {
namespace {

bool makes_numbers(const Expr& body, const NestLevel& level) {
  return is_of_numbers(element_of(part_at(body, level.place).type(), static_cast<int>(level.extents.size())));
}

/// Whether the last level computes the small block of elements that a join puts in the place of each cell of
/// the level before.
bool makes_blocks(const Expr& body, const Nest& nest) {
  if (nest.levels.size() < 2) return false;
  const NestLevel &block = nest.levels.back(), &cells = nest.levels[nest.levels.size() - 2];
  Place within = cells.place, around = cells.place;
  within.insert(within.end(), {0, 0});
  if (cells.place.empty() || block.place != within || block.extents.size() != cells.extents.size())
    return false;
  around.pop_back();
  const Expr join = part_at(body, around);
  std::int64_t elements = 1;
  for (const Nat& n : block.extents) elements *= n.constant().value_or(1000);
  return makes_numbers(body, block) && join.is(Op::Join) &&
         op_rank(join) == static_cast<std::int64_t>(cells.extents.size()) && elements > 1 &&
         elements <= kMostOfBlock;
}

void name_axes(const Expr& body, NestFacts& f) {
  std::vector<NestLevel> levels = f.nest.levels;
  if (makes_blocks(body, f.nest)) {
    for (const Nat& n : levels.back().extents) f.block.push_back({"", n.constant()});
    levels.pop_back();
  }
  for (const NestLevel& l : levels)
    for (const Nat& n : l.extents) f.axes.push_back({"", n.constant()});
  for (std::size_t a = 0; a < f.axes.size(); ++a) f.axes[a].name = loop_axis(f.axes.size() - 1 - a);
  for (std::size_t a = 0; a < f.block.size(); ++a)
    f.block[a].name = f.axes[f.axes.size() - f.block.size() + a].name + "2";
  if (!levels.empty()) f.inner_rank = levels.back().extents.size();
}

/// Whether blocks can be written row by row: the rule applies where the join stands.
bool rows_apply(const Program& program, const NestFacts& f) {
  if (f.block.size() < 2) return false;
  Place join = f.cells().place;
  join.pop_back();
  return static_cast<bool>(apply(find_rule("join-map-nest"), program, join));
}

/// A tile of one block in each dimension but the last, which it fills: where that applies, and the tile fits
/// into a stack.
std::vector<std::int64_t> buffer_of(const Program& program, const NestFacts& f) {
  if (!f.block.empty() || f.inner_rank < 2 || !f.on_processors() || !f.axes.back().extent) return {};
  std::vector<std::int64_t> tile(f.inner_rank, 1);
  tile.back() = *f.axes.back().extent;
  Arguments sizes;
  for (const std::int64_t n : tile) sizes.push_back(std::to_string(n));
  const Place cells = f.cells().place;
  const Expr e = part_at(program.body, cells);
  if (!apply(find_rule("tile-blocks"), program, cells, sizes)) return {};
  std::int64_t scalars = *f.axes.back().extent;
  for (const Nat& m : split_lengths(e.child(1))) scalars *= m.constant().value_or(1 << 20);
  return scalars <= 8192 ? tile : std::vector<std::int64_t>{};
}

/// The base of the update, when it is an argument read at other elements than the written one.
bool reads_elsewhere(const Footprint& print) {
  for (const auto& [array, position] : print.writes)
    if (const auto it = print.reads.find(array); it != print.reads.end())
      for (const auto& p : it->second.positions)
        if (p != position) return true;
  return false;
}

bool loads_vectors(const Footprint& print, const NestFacts& f) {
  if (print.index.empty() || f.axes.empty()) return true;
  const Nat block = f.block.empty() ? 1 : *f.block.back().extent, cells = f.cells().extents.back();
  return loads_vectors(print, cells, block);
}

/// After how many cells along an axis an element is read again, as far as can be seen away from boundaries.
std::vector<std::int64_t> repeats_along(const Footprint& print, const Nat& index, std::int64_t block) {
  const Nat cell = Nat::fresh("cell", 0, 1 << 20);
  std::vector<std::int64_t> r;
  for (const auto& [array, reads] : print.reads) {
    std::vector<ShiftedPosition> seen;
    for (const auto& p : reads.positions)
      for (std::int64_t b = 0; b < block; ++b) {
        std::vector<Nat> q;
        for (const Nat& n : p) q.push_back(simplify(substitute(n, index, block * cell + b)));
        const auto s = shifted(q, cell);
        if (!s) continue;
        for (const ShiftedPosition& other : seen)
          if (const std::int64_t apart = std::abs(other.shift - s->shift);
              apart > 0 && other.origin == s->origin)
            r.push_back(apart);
        seen.push_back(*s);
      }
  }
  std::sort(r.begin(), r.end());
  r.erase(std::unique(r.begin(), r.end()), r.end());
  return r;
}
void read_repeats(const Footprint& print, NestFacts& f) {
  f.repeats.assign(f.axes.size(), {});
  if (print.index.size() != f.axes.size()) return;
  for (std::size_t a = 0; a < f.axes.size(); ++a) {
    const std::size_t first = f.axes.size() - f.block.size();
    f.repeats[a] =
        repeats_along(print, print.index[a], a < first ? 1 : f.block[a - first].extent.value_or(1));
  }
}

/// Axes of the levels around some places outside the main nest's innermost loops.
std::size_t axes_above(const Nest& nest, const std::vector<Place>& places) {
  std::size_t most = 0;
  const auto is_below = [](const Place& p, const Place& around) {
    return p.size() >= around.size() && std::equal(around.begin(), around.end(), p.begin());
  };
  for (const Place& p : places) {
    if (nest.levels.empty() || is_below(p, nest.levels.back().place)) continue;
    std::size_t axes = 0;
    for (const NestLevel& l : nest.levels) {
      if (!is_below(p, l.place) || p == l.place) break;
      axes += l.extents.size();
    }
    if (std::none_of(nest.levels.begin(), nest.levels.end(),
                     [&](const NestLevel& l) { return l.place == p; }))
      most = std::max(most, axes);
  }
  return most;
}

/// Reductions that are loops.
void add_sums(const Expr& e, Place& at, std::vector<Place>& to) {
  if (is_long_reduction(e)) to.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    add_sums(e.child(i), at, to);
    at.pop_back();
  }
}
std::vector<Place> sums_in(const Expr& body) {
  std::vector<Place> r;
  Place at;
  add_sums(body, at, r);
  return r;
}

NestFacts loop_facts(const Program& sweep) {
  NestFacts f;
  f.nest = main_nest(sweep.body);
  name_axes(sweep.body, f);
  return f;
}

/// Lengths that are not known count as 1.
double cells(const NestFacts& f) {
  double n = 1;
  for (const Axis& a : f.axes) n *= static_cast<double>(a.extent.value_or(1));
  return n;
}

/// Whether an update is of less than a quarter of the array.
bool is_of_few(const Program& sweep, const NestFacts& f) {
  double all = 1;
  const std::vector<Nat> lengths = shape_of(part_at(sweep.body, *f.nest.update).type());
  for (const Nat& n : lengths) all *= static_cast<double>(n.constant().value_or(1));
  for (std::size_t a = 0; a < f.above_update; ++a) all *= static_cast<double>(f.axes[a].extent.value_or(1));
  return 4 * cells(f) < all;
}

/// Of several sweeps the one of the fewest cells: what it allows, the others do.
std::size_t smallest(const std::vector<NestFacts>& sweeps) {
  const auto least =
      std::min_element(sweeps.begin(), sweeps.end(),
                       [&](const NestFacts& a, const NestFacts& b) { return cells(a) < cells(b); });
  return static_cast<std::size_t>(least - sweeps.begin());
}

/// The sweeps in the loops around each of them.
Result<Program> in_shared_loops(const Program& whole, std::size_t loops_around) {
  Program p = whole;
  Place at;
  for (std::size_t a = 0; a < loops_around; ++a) {
    for (std::size_t n = sweeps_of(part_at(p.body, at)).size() - 1; n-- > 0;) {
      Place let = at;
      for (std::size_t i = 0; i < n; ++i) let.insert(let.end(), {1, 0});
      const auto shared = apply(find_rule("let-of-maps"), p, let);
      if (!shared) return shared;
      p = *shared;
    }
    at.insert(at.end(), {0, 0});
  }
  return p;
}

/// The axes, of some that are those of a chain's arrays from the first on, along which it can go in step.
std::vector<std::string> axes_of_steps(const Result<Program>& program, std::span<const Axis> axes,
                                       std::size_t first = 0) {
  std::vector<std::string> r;
  if (!program) return r;
  const Chain chain = chain_of(*program);
  const StageGraph graph = stage_graph(chain);
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (const Shifts lags = least_shifts(chain, graph, Band::skewed, first + a);
        lags.obstacle.empty() && !go_apart(lags, axes[a].extent))
      r.push_back(axes[a].name);
  return r;
}

/// And those along which it can go in two phases.
void read_phases(const Result<Program>& program, NestFacts& f, std::size_t first, bool in_place,
                 bool stages) {
  if (!program) return;
  const Chain chain = chain_of(*program);
  const StageGraph graph = stage_graph(chain);
  for (std::size_t a = f.above_update; a < f.axes.size(); ++a)
    if (const Shifts s = least_shifts(chain, graph, Band::phases, first + a - f.above_update);
        s.obstacle.empty())
      f.phases.push_back({f.axes[a].name, least_width(s.by_stage), f.axes[a].extent});
  f.phases_in_place = in_place, f.stages_in_phases = stages;
}

/// The chain of stages at the top of a program, each stored before the next one reads it; nothing where there
/// is none, or more stages than could be looked at together.
std::optional<Chain> stages_at_top(const Program& program) {
  constexpr std::size_t kMost = 64;
  Chain chain = chain_of(program);
  const std::size_t n = chain.stages.size();
  if (n < 2 || n > kMost || chain.stages[0].place != Place{0}) return std::nullopt;
  return chain;
}

/// The axes along which stages that are stored can go in step are told: those of rings.
void stages_go_in_step(const Program& program, NestFacts& f) {
  f.rings = f.stages_go_in_step = true;
  f.may_be_fused = !stages_of(program.body).empty();
  f.in_time = chain_of(program).stages.size();
}

/// The outermost axis, of stages that are all maps over it. Lines have no planes to go along: all stages of
/// a tile follow one another.
void read_steps_of_stages(const Program& program, NestFacts& f) {
  constexpr std::int64_t kOfTiles = 1 << 16;  ///< elements that are worth tiles
  if (f.update || f.axes.empty()) return;
  f.lines = f.axes.size() == 1;
  if (f.lines && f.axes[0].extent.value_or(0) < kOfTiles) return;
  const std::optional<Chain> stages = stages_at_top(program);
  if (!stages) return;
  read_phases(apply(find_rule("two-arrays"), program, {}), f, 0, false, true);
  const auto rings = apply(find_rule("rings"), program, {});
  const std::vector<std::string> steps = axes_of_steps(rings, {f.axes.data(), 1});
  if (steps.empty()) return;
  f.no_tiles = !apply(find_rule("in-tiles"), *rings, {}, {std::int64_t{0}, std::int64_t{1}});
  if (f.lines && f.no_tiles) return;
  stages_go_in_step(program, f);
}

/// Applies a rule where the one before it did.
Result<Program> then(const Result<Program>& p, const char* rule, const Arguments& a = {},
                     const Place& at = {}) {
  return p ? apply(find_rule(rule), *p, at, a) : p;
}

/// Of a ring, whatever sizes are.
std::int64_t most_planes(const Expr& ring) {
  constexpr std::int64_t kMost = 64;
  std::int64_t n = 1;
  while (n < kMost && !Facts().proves(less_equal(ring_planes(ring), n))) ++n;
  return n;
}

/// Of an array, or of several.
std::int64_t bytes_of_element(const Type& t) {
  std::int64_t n = 0;
  for (const Type& array : component_arrays(t))
    n += static_cast<std::int64_t>(size_of(element_of(array).scalar()));
  return n;
}

/// What work-groups keep and compute where sweeps go in step in rings; nothing: they cannot.
std::optional<NestFacts::InGroups> in_groups(const Program& shared, std::int64_t readers, bool wait_once,
                                             std::size_t axes, const Capabilities& target) {
  NestFacts::InGroups g{readers, wait_once, 0, {}, {}, {}};
  const std::size_t sweeps = chain_of(shared).stages.size();
  Result<Program> p = readers > 0 ? then(shared, "load-stages", {readers}) : shared;
  p = then(p, "rings");
  if (!p) return std::nullopt;
  Chain chain = chain_of(*p);
  g.loads = chain.stages.size() - sweeps;
  if (!target.copies_by_groups)
    for (std::size_t s = 0; s < g.loads; ++s) p = then(p, "async", {}, content_of(chain.stages[s].place));
  StageGraph graph = stage_graph(chain);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    Shifts m = least_shifts(chain, graph, Band::overlapped, axis);
    if (!m.obstacle.empty()) return std::nullopt;
    g.margins.push_back(std::move(m.by_stage));
  }
  p = then(p, "in-step", {0, 1});
  if (wait_once) p = then(p, "wait-once");
  if (!p) return std::nullopt;
  chain = chain_of(*p);
  for (const ChainStage& s : chain.stages) {
    g.planes.push_back(is_ring(s) ? most_planes(s.value) : 0);
    g.bytes.push_back(bytes_of_element(s.value.type()));
  }
  return g;
}

/// The ways in which groups can compute a chain, fewer waits or loads before more.
std::vector<NestFacts::InGroups> ways_in_groups(const Program& chain, std::size_t axes,
                                                const Capabilities& target) {
  std::vector<NestFacts::InGroups> r;
  for (const std::int64_t readers : {0, 1, 2})
    for (const bool wait_once : {false, true})
      if (auto g = in_groups(chain, readers, wait_once, axes, target)) {
        const bool same = std::any_of(r.begin(), r.end(), [&](const NestFacts::InGroups& x) {
          return x.readers > 0 && x.loads == g->loads && x.wait_once == wait_once;
        });
        if (!same) r.push_back(*std::move(g));
      }
  return r;
}

/// Of stages that a program begins with; where results are read by others, of copies of these.
void read_stages_in_groups(const Program& program, std::size_t axes, NestFacts& f) {
  f.in_groups = ways_in_groups(program, axes, f.target());
  if (f.in_groups.empty() && !named_results(program).empty()) {
    f.in_groups = ways_in_groups(with_results_copied({program, {}}).program, axes, f.target());
    f.chain.copies = !f.in_groups.empty();
  }
  if (!f.in_groups.empty()) stages_go_in_step(program, f);
}

/// Where sweeps, or the stages that a program begins with, can go in step along the outermost axis, in rings.
void read_in_groups(const Program& whole, NestFacts& f) {
  const std::size_t axes = f.axes.size() - f.above_update;
  if (f.sweeps > 1) {
    const Result<Program> shared = in_shared_loops(whole, f.above_update);
    if (!shared) return;
    f.in_groups = ways_in_groups(*shared, axes, f.target());
  } else if (!f.update && axes > 1 && stages_at_top(whole)) {
    read_stages_in_groups(whole, axes, f);
  }
  f.rings = !f.in_groups.empty();
  const std::vector<Nat> result = shape_of(whole.body.type());  // empty where there are several
  for (std::size_t axis = f.above_update; axis < f.axes.size(); ++axis)
    f.lengths.push_back(axis < result.size() ? result[axis].constant() : std::nullopt);
}

/// Axes of the arrays, but for the innermost, along which each sweep can follow the one before, some
/// iterations behind.
void read_steps(const Program& whole, NestFacts& f) {
  if (!f.block.empty()) return;
  if (f.sweeps > 1 && f.axes.size() <= f.above_update) return;  // updates by no loops
  if (f.on_grid()) return read_in_groups(whole, f);
  if (f.sweeps < 2) return read_steps_of_stages(whole, f);
  const std::span<const Axis> axes(f.axes.data() + f.above_update, f.axes.size() - 1 - f.above_update);
  const Result<Program> shared = in_shared_loops(whole, f.above_update);
  const auto steps_by = [&](const char* rule) {
    return axes_of_steps(shared ? apply(find_rule(rule), *shared, {}) : shared, axes);
  };
  const std::vector<std::string> in_rings = steps_by("rings");
  f.rings = !in_rings.empty() && in_rings[0] == axes[0].name;
  f.steps = f.in_place ? axes_of_steps(whole, axes, f.above_update) : steps_by("two-arrays");
  f.two_arrays = !f.in_place && !f.steps.empty();
  if (f.in_place)
    read_phases(whole, f, f.above_update, true, false);
  else if (shared)
    read_phases(apply(find_rule("two-arrays"), *shared, {}), f, 0, false, false);
}

}  // namespace

NestFacts NestFacts::of_sweep(std::size_t n) const {
  NestFacts f = *this;
  if (!each.empty()) f.nest = each.at(n).nest, f.axes = each[n].axes;
  return f;
}

NestFacts cell_facts(const Program& whole, const SpaceOptions& options) {
  const std::size_t sweeps = sweeps_of(whole.body).size();
  std::vector<NestFacts> loops;
  for (std::size_t s = 0; s < sweeps; ++s) loops.push_back(loop_facts(single_sweep(whole, s)));
  const std::size_t least = smallest(loops);
  const Program program = single_sweep(whole, least);
  NestFacts f = loops[least];
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  f.axes = loops[least].axes;
  f.sweeps = f.in_time = sweeps;
  if (sweeps > 1)
    for (const NestFacts& l : loops) f.each.push_back({l.nest, l.axes});
  f.rows = rows_apply(program, f);
  f.buffer = buffer_of(program, f);
  f.above_others = axes_above(f.nest, loop_places(program.body));
  f.above_sums = axes_above(f.nest, sums_in(program.body));
  f.update = f.nest.update.has_value();
  f.overwrites = f.update && part_at(program.body, *f.nest.update).is(Op::UpdateInPlace);
  f.array = program.body.type().is_array();
  for (std::size_t l = 0; l < f.nest.above_update; ++l) f.above_update += f.nest.levels[l].extents.size();
  f.few = f.update && is_of_few(program, f);
  if (f.update)
    if (const auto offset = update_offsets(part_at(program.body, *f.nest.update)).back().constant())
      f.lead = *offset;
  if (f.sweeps == 1) f.reduction = reduction_facts(program);
  try {
    f.in_place = f.update && apply(find_rule("update-in-place"), whole, {});
    const Footprint print = footprint(last_of_chain(program));
    if (f.block.empty()) {
      const Colours colours = colours_of(print.guard, print.index);
      f.modulus = colours.modulus, f.parity_axes = colours.axes;
    }
    f.reads_target = reads_elsewhere(print);
    f.vectors = loads_vectors(print, f);
    read_repeats(print, f);
  } catch (const UserError&) {  // no footprint: the decisions that need one are not offered
    f.reads_target = true;
  }
  read_steps(whole, f);
  if (levels_around_reductions(program.body, f.nest) > 0 ||
      (!f.nest.levels.empty() && !makes_numbers(program.body, f.nest.levels.back())))
    f.vectors = false;  // loops within cells
  f.windows = window_arrays(program, f);
  for (const Expr& a : program.arguments)  // all arrays take the layout together
    if (a.type().is_array() && rank_of(a.type()) < f.parity_axes) f.parity_axes = 0;
  f.joins_stages = f.sweeps == 1 && (have_joined_stages(whole) || !stages_of(whole.body).empty());
  return f;
}

NestFacts group_facts(const Program& program, const SpaceOptions& options) {
  NestFacts f;
  f.inside = Inside::groups;
  static_cast<ProgramFacts&>(f) = program_facts(program, options);
  const std::optional<Chain> stages = stages_at_top(program);
  if (!stages || !stages->stages[0].value.type().is_array()) return f;
  const std::vector<Nat> shape = shape_of(stages->stages[0].value.type());
  if (shape.size() < 2) return f;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    f.axes.push_back({loop_axis(shape.size() - 1 - a), shape[a].constant()});
    f.lengths.push_back(shape[a].constant());
  }
  read_stages_in_groups(program, shape.size(), f);
  if (group_tiles(f).empty()) f.in_groups.clear();
  return f;
}

}  // namespace lift
