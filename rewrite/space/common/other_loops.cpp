// Loops outside the main nest follow its decisions: the outermost of more than one iteration is shared among
// threads, the innermost is a loop over vectors where the main one is.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/common/common.hpp"

namespace lift {
namespace {

/// Whether a place is in the function of a map of that sort.
bool is_within(const Program& p, const Place& place, bool (*loop)(Op)) {
  Expr e = p.body;
  for (const int i : place) {
    if (loop(e.op()) && i == 0) return true;
    e = e.child(static_cast<std::size_t>(i));
  }
  return false;
}
bool in_parallel(const Program& p, const Place& place) {
  return is_within(p, place, [](Op op) { return op == Op::MapPar; });
}

/// Elements of the largest array that a loop in e makes; a large number where it is not known.
std::int64_t most_elements(const Expr& e) {
  constexpr std::int64_t kLarge = 1 << 20;
  std::int64_t most = 0;
  visit(e, [&](const Expr& x) {
    if (!is_map(x.op())) return;
    std::int64_t all = 1;
    for (const Nat& n : shape_of(x.type(), rank_of(x.type())))
      all = std::min(kLarge, all * std::min(kLarge, n.constant().value_or(kLarge)));
    most = std::max(most, all);
  });
  return most;
}

/// On a grid, a loop in the step of an iteration is a launch a step: of small steps, a work-item does all; of
/// a chain in tiles, a group does its part.
bool stays_in_iteration(const Program& p, const Place& place) {
  constexpr std::int64_t kSmall = 512;  // elements: a launch takes about as long
  Expr e = p.body;
  bool iterated = false;
  for (const int i : place) {
    iterated = iterated || e.is(Op::Iterate);
    if (e.is(Op::Iterate) && most_elements(e.child(0)) < kSmall) return true;
    if (iterated && e.is(Op::Band)) return true;
    e = e.child(static_cast<std::size_t>(i));
  }
  return false;
}

bool takes_vectors(const ProgramFacts& f, const OtherLoops& how, std::int64_t trips) {
  return f.lanes > 1 && how.vectors && trips >= how.width;
}

bool is_in_scalars(const ProgramFacts& f, const Place& place) {
  return std::any_of(f.in_scalars.begin(), f.in_scalars.end(), [&](const Place& part) {
    return part.size() <= place.size() && std::equal(part.begin(), part.end(), place.begin());
  });
}

/// Vectors are tried where the function returns numbers or a block of them; the rule says whether they are
/// possible.
void run_innermost(Deriver& d, const ProgramFacts& f, const OtherLoops& how, const Place& p,
                   std::int64_t trips) {
  if (is_in_scalars(f, p) || !takes_vectors(f, how, trips) || !d.try_step("map-vec", {how.width}, p))
    d.step("map-seq", p);
}

/// Whether an iteration makes sums that loops within it may read; not those that are made within these loops.
bool makes_sums(const Expr& e) {
  if (is_long_reduction(e)) return true;
  for (std::size_t i = is_map(e.op()) ? 1 : 0; i < e.children().size(); ++i)
    if (makes_sums(e.child(i))) return true;
  return false;
}

/// What a loop on a grid has around it.
struct Around {
  std::vector<bool> taken =
      std::vector<bool>(4, false);     ///< dimensions of the grid, a fourth shares the third
  bool groups = false, items = false;  ///< loops over work-groups, over single items
  /// Nothing but loops over the grid, of items that keep no sums, and of one iteration: more may follow.
  bool open = true;
};
Around around(const Program& p, const Place& place) {
  Around r;
  Expr e = p.body;
  for (const int i : place) {
    if (e.is(Op::ToPrivate) || e.is(Op::ToLocal)) r.open = false;  // of an item, of a group
    if (is_map(e.op()) && i == 0) {
      const bool grid = e.is(Op::MapGlb) || e.is(Op::MapWrg);
      if (grid) r.taken.at(static_cast<std::size_t>(loop_option(e, LoopOption::Dimension))) = true;
      r.groups = r.groups || e.is(Op::MapWrg), r.items = r.items || e.is(Op::MapGlb);
      r.open = r.open && (grid || shape_of(e.type(), 1)[0] == Nat(1)) && !makes_sums(e.child(0));
    }
    e = e.child(static_cast<std::size_t>(i));
  }
  return r;
}

/// The loops of a nest without decisions, outer to inner: maps in each other's functions.
std::vector<Place> nest_at(Deriver& d, Place at) {
  std::vector<Place> loops;
  for (;;) {
    Expr e = d.part(at);
    if (!e.is(Op::Map)) return loops;
    if (op_rank(e) > 1) d.step("map-nest", at), e = d.part(at);
    loops.push_back(at);
    at = body_of(std::move(at));
  }
}

/// Iterations of a loop; a large number where that is not known.
std::int64_t trips_at(const Deriver& d, const Place& loop) {
  return shape_of(d.part(loop).type(), 1)[0].constant().value_or(1 << 20);
}

/// Which loops of a nest are the grid's, inner to outer: on work-groups of one item the outer ones, `row`:
/// one loop alone that nothing follows inside; else the inner ones.
std::vector<std::size_t> grid_loops(const std::vector<std::int64_t>& trips, std::size_t most, bool solo,
                                    bool row, std::int64_t enough) {
  std::vector<std::size_t> r;
  if (!solo) {
    for (std::size_t i = trips.size(); i-- > 0 && r.size() < most;)
      if (trips[i] > 1) r.push_back(i);
    return r;
  }
  std::int64_t groups = 1;
  for (std::size_t i = 0; i + 1 < trips.size() && r.size() < most && groups < enough; ++i)
    if (trips[i] > 1) groups *= trips[i], r.insert(r.begin(), i);
  if (trips.size() == 1 && trips[0] > 1 && !row && most > 0) r.push_back(0);
  return r;
}

/// A nest on the grid: on processors the outer loops, a work-group of one item each; else the inner loops, an
/// item each.
void run_on_grid(Deriver& d, const ProgramFacts& f, const OtherLoops& how, const Place& at) {
  const Around outside = around(d.program(), at);
  const std::vector<Place> loops = nest_at(d, at);
  std::vector<std::int64_t> trips;
  for (const Place& loop : loops) trips.push_back(trips_at(d, loop));
  const bool row = loops.size() == 1 && is_of_numbers(element_of(d.part(loops[0]).type(), 1));
  const bool solo =
      outside.groups || (!outside.items && !(row && trips[0] > 4096) && (how.solo || f.options.cpu));
  std::vector<int> free;
  for (int dim = 0; dim < 3; ++dim)
    if (outside.open && !outside.taken[static_cast<std::size_t>(dim)]) free.push_back(dim);
  const std::vector<std::size_t> on_grid =
      grid_loops(trips, free.size(), solo, row, std::int64_t{32} * f.options.threads);
  for (std::size_t n = 0; n < on_grid.size(); ++n)
    d.step(solo ? "map-wrg" : "map-glb", {free[n]}, loops[on_grid[n]]);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (std::find(on_grid.begin(), on_grid.end(), i) != on_grid.end()) continue;
    if (i + 1 == loops.size() && solo)
      run_innermost(d, f, how, loops[i], trips[i]);
    else
      d.step("map-seq", loops[i]);
  }
}

/// Whether each element takes a loop of its own, as the sum of a plane does.
bool makes_reductions(const Expr& map) {
  return contains(map.child(0), [](const Expr& x) { return x.is(Op::MapVec) || is_long_reduction(x); });
}

/// Whether a loop is the innermost over cells whose blocks a join puts in place: directly within the loops
/// over the other dimensions.
bool is_joined(const Program& p, Place cells) {
  const int block = rank_of(part_at(p.body, cells).type()) - 1;
  for (int outer = 1; outer < block; ++outer) {
    if (cells.size() < 2 || cells.back() != 0 || cells[cells.size() - 2] != 0) return false;
    cells.resize(cells.size() - 2);
    if (const Expr e = part_at(p.body, cells); !is_map(e.op()) || op_rank(e) != 1) return false;
  }
  if (cells.empty()) return false;
  cells.pop_back();
  const Expr join = part_at(p.body, cells);
  return join.is(Op::Join) && op_rank(join) == block;
}

/// The loops of the small block of neighbouring elements that a loop makes an iteration, as of a coarse
/// cell's children; none where it makes no block.
std::vector<NestLevel> block_of(const Deriver& d, const Place& cells) {
  const Expr e = d.part(cells);
  if (op_rank(e) != 1 || !is_joined(d.program(), cells)) return {};
  std::vector<NestLevel> levels = main_nest(d.program().body, body_of(cells)).levels;
  std::int64_t elements = 1;
  for (const NestLevel& level : levels)
    for (const Nat& n : level.extents) {
      const std::int64_t trips = n.constant().value_or(kMostOfBlock + 1);
      if (trips < 2 || trips > kMostOfBlock) return {};
      elements *= trips;
      if (elements > kMostOfBlock) return {};
    }
  return levels;
}

/// All of its loops: the one around is then the innermost.
void unroll_block(Deriver& d, const Place& cells) {
  for (;;) {
    const std::vector<NestLevel> levels = block_of(d, cells);
    const auto it = std::find_if(levels.begin(), levels.end(),
                                 [&](const NestLevel& l) { return d.part(l.place).is(Op::Map); });
    if (it == levels.end()) return;
    if (it->extents.size() > 1)
      d.step("map-nest", it->place);
    else
      d.step("map-unroll", {*it->extents[0].constant()}, it->place);
  }
}

/// Threads share a long line in tiles.
void run_line(Deriver& d, const ProgramFacts& f, const OtherLoops& how, const Place& at, std::int64_t trips) {
  constexpr std::int64_t kTiles = 16, kLong = 4096, kShort = 1024;  // shorter lines are one thread's
  const std::int64_t tile = trips >= kTiles * kLong ? kLong : kShort;
  const bool shared = how.parallel && f.options.threads > 1 && trips >= kTiles * tile &&
                      d.part(at).type().length().is_constant() && !in_parallel(d.program(), at);
  if (!shared || !d.try_step("tile", {tile}, at)) return run_innermost(d, f, how, at, trips);
  Place tiles = at;
  while (!is_map(d.part(tiles).op())) tiles = content_of(std::move(tiles));
  d.step("map-par", tiles);
  run_innermost(d, f, how, body_of(tiles), tile);
}

void run_on_threads(Deriver& d, const ProgramFacts& f, const OtherLoops& how, const Place& at) {
  const Expr e = d.part(at);
  const std::int64_t trips = trips_at(d, at);
  if (op_rank(e) > 1)
    d.step("map-nest", at);
  else if (rank_of(e.type()) == 1 && is_of_numbers(element_of(e.type())) && !makes_reductions(e))
    run_line(d, f, how, at, trips);
  else if (takes_vectors(f, how, trips) && !block_of(d, at).empty())
    unroll_block(d, at), run_innermost(d, f, how, at, trips);
  else
    d.step(how.parallel && trips > 1 && !in_parallel(d.program(), at) ? "map-par" : "map-seq", at);
}

}  // namespace

void copy_base(Deriver& d, const Place& update) {
  constexpr std::int64_t kLarge = 1 << 20;  // elements: copying them takes longer than six launches
  const Expr e = d.part(update);
  if (!e.is(Op::Update) || is_map(e.child(0).op())) return;
  std::int64_t elements = 1;
  for (const Nat& n : shape_of(e.type(), op_rank(e)))
    elements = std::min(kLarge, elements * n.constant().value_or(kLarge));
  if (elements < kLarge || is_within(d.program(), update, is_map)) d.try_step("copy-base", update);
}

void run_other_loops(Deriver& d, const ProgramFacts& f, const OtherLoops& how) {
  if (f.on_grid()) {
    const std::vector<Place> updates = places_of(d, {}, Op::Update);
    for (auto p = updates.rbegin(); p != updates.rend(); ++p) copy_base(d, *p);  // inner ones move no others
  }
  for (;;) {
    const std::vector<Place> all = loop_places(d.program().body);
    const auto it = std::find_if(all.begin(), all.end(), [&](const Place& p) {
      return d.part(p).is(Op::Map) && !(f.on_grid() && stays_in_iteration(d.program(), p));
    });
    if (it == all.end()) return;
    if (f.on_grid())
      run_on_grid(d, f, how, *it);
    else
      run_on_threads(d, f, how, *it);
  }
}

}  // namespace lift
