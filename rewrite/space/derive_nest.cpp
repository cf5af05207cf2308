// Decisions on the main nest, as steps.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {
namespace {

Arguments texts(const std::vector<std::int64_t>& ns) {
  Arguments a;
  for (const auto n : ns) a.push_back(std::to_string(n));
  return a;
}

/// Blocks are written row by row: the join of rank D becomes joins of rank 1, inwards. (`join` is its place.)
void write_by_rows(Deriver& d, Place join, std::size_t rank) {
  for (; rank > 1; --rank) {
    d.step("join-map-nest", {}, join);
    join.insert(join.end(),
                {0, 0, 0, 0, 0});  // into the loops over an outer dimension of the cells and of their blocks
  }
}

/// The cells' loops are tiled; the join of their blocks moves into the tiles.
void tile_cells(Deriver& d, const SpaceFacts& f, const Configuration& c,
                const std::vector<std::int64_t>& tile, bool by_rows) {
  Place join = d.start();
  join.insert(join.end(), f.cells().place.begin(), f.cells().place.end());
  if (!tile.empty()) d.step("tile", texts(tile), join);
  if (!tile.empty()) stage_tiles(d, f, c, join);
  if (f.block.empty()) return;
  join.pop_back();
  if (!tile.empty()) {
    if (d.part(join).child(0).is(Op::Drop)) {
      d.step("join-of-drop", {}, join);
      join.push_back(0);
    }
    d.step("join-of-join", {}, join);
    join.push_back(0);
    d.step("map-fusion", {}, join);
    join.insert(join.end(), {0, 0});
  }
  if (by_rows) write_by_rows(d, join, f.block.size());
}

/// Loops within a block.
void lower_blocks(Deriver& d, const Configuration& c, const std::vector<PlannedLoop>& loops,
                  const std::vector<bool>& parallel) {
  const std::size_t inner = inner_loop(loops);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].block) continue;
    const bool unrolled = *loops[i].trips > 1 && (i > inner || chosen(c, "block", "") == "rows unrolled");
    if (parallel[i])
      d.step("map-par", {}, d.loop(i));
    else if (unrolled)
      d.step("map-unroll", {std::to_string(*loops[i].trips)}, d.loop(i));
    else
      d.step("map-seq", {}, d.loop(i));
  }
}

/// How each loop but the inner one runs on threads, or on work-groups of one item.
struct Run {
  std::string rule;
  Arguments arguments;
};
std::vector<Run> shared_runs(const Configuration& c, const std::vector<PlannedLoop>& loops) {
  const std::vector<bool> shared = covered(loops, shared_loops(c));
  std::vector<Run> r(loops.size(), Run{"map-seq", {}});
  int dim = 0;
  for (std::size_t i = inner_loop(loops); i-- > 0;) {
    if (!shared[i]) continue;
    if (!is_solo(c))
      r[i] = {"map-par", {}};
    else if (!loops[i].single() && !loops[i].block)
      r[i] = {"map-wrg", {std::to_string(dim++)}};
  }
  return r;
}
void lower_shared(Deriver& d, const Configuration& c, const std::vector<PlannedLoop>& loops) {
  const std::vector<Run> runs = shared_runs(c, loops);
  std::vector<bool> parallel;
  for (const Run& r : runs) parallel.push_back(r.rule == "map-par");
  lower_blocks(d, c, loops, parallel);
  for (std::size_t i = 0; i < inner_loop(loops); ++i)
    if (!loops[i].block) d.step(runs[i].rule, runs[i].arguments, d.loop(i));
}

/// Neighbours along the shared axis are left to one work-item: a loop over them within all others.
void tile_items(Deriver& d, const SpaceFacts& f, const Configuration& c,
                const std::vector<PlannedLoop>& loops) {
  const SharedCells cells = shared_cells(f, chosen(c, "items", "1"));
  if (!cells.neighbours) return;
  const auto is_shared = [&](const PlannedLoop& l) { return !l.tiles && l.name == shared_axis(f); };
  const auto shared =
      static_cast<std::size_t>(std::find_if(loops.begin(), loops.end(), is_shared) - loops.begin());
  d.step("split-join", {std::to_string(cells.number)}, d.loop(shared));
  for (std::size_t at = shared + 1; at < loops.size(); ++at) {
    Place place = d.loop(at);
    if (!d.part(place).child(0).child(0).is(Op::Transpose)) {
      d.step("interchange", {}, place);
      continue;
    }
    d.step("map-of-transpose", {}, place);  // loops that have changed places before
    place.push_back(0);
    d.step("map-of-mapped", {}, place);
  }
  d.step("map-unroll", {std::to_string(cells.number)}, d.loop(loops.size()));
}

/// How each loop runs on work-items; true when the inner loop is one of them.
bool lower_for_grid(Deriver& d, const SpaceFacts& f, const Configuration& c,
                    const std::vector<PlannedLoop>& loops) {
  const std::vector<std::string> names = words(chosen(c, "grid", "none"));
  const bool groups = names == std::vector<std::string>{"groups"};
  std::vector<std::string> tiled;  // axes with work-groups, innermost first
  if (groups)
    for (std::size_t i = loops.size(); i-- > 0;)
      if (loops[i].tiles && !loops[i].single())
        tiled.push_back(loops[i].name.substr(loops[i].name.size() / 2));
  std::size_t outer = tiled.size();  // dimensions left for the loops around; a fourth shares the third
  const bool along =
      is_by_columns(f, c) || chosen(c, "local", "none") == "planes";  // the outer axis is gone along
  const std::string outer_axis = f.inner_rank > 0 ? f.axes[f.axes.size() - f.inner_rank].name : "";
  GroupDimensions group;
  const std::size_t around = groups ? loops.size() - 2 * f.inner_rank - f.block.size() : 0;
  bool last = false;
  tile_items(d, f, c, loops);
  lower_blocks(d, c, loops, std::vector<bool>(loops.size(), false));
  for (std::size_t i = loops.size(); i-- > 0;)
    if (groups && i < around && !loops[i].single() && outer < 4) tiled.push_back(loops[i].name), ++outer;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].block) continue;
    const std::string axis = loops[i].tiles ? loops[i].name.substr(loops[i].name.size() / 2) : loops[i].name;
    const auto in_grid = std::find(names.begin(), names.end(), loops[i].name);
    const auto in_group = std::find(tiled.begin(), tiled.end(), axis);
    last = false;
    const bool work_group = loops[i].tiles || i < around;
    if (groups && in_group != tiled.end() && (work_group || !along || axis != outer_axis)) {
      const auto dim = static_cast<int>(in_group - tiled.begin());
      d.step(work_group ? "map-wrg" : "map-lcl", {std::to_string(dim)}, d.loop(i));
      if (!work_group) {
        const SharedCells cells =
            axis == shared_axis(f) ? shared_cells(f, chosen(c, "items", "1")) : SharedCells{};
        group[axis] = {dim, *loops[i].trips / cells.number};
        if (cells.number > 1 && !cells.neighbours)
          d.step("items", {std::to_string(group[axis].second)}, d.loop(i));
      }
      last = true;
    } else if (!groups && in_grid != names.end()) {
      d.step("map-glb", {std::to_string(names.end() - in_grid - 1)}, d.loop(i));
      last = true;
    } else if (i < inner_loop(loops)) {
      d.step("map-seq", {}, d.loop(i));
    }
  }
  lower_copies(d, f, c, group);
  return last;
}

void lower_inner(Deriver& d, const SpaceFacts& f, const Configuration& c, const Place& place) {
  const std::string inner = chosen(c, "inner", "seq"), unroll = chosen(c, "unroll", "1"),
                    prefetch = chosen(c, "prefetch", "0");
  if (is_vector(c))
    d.step("map-vec", {chosen(c, "width", std::to_string(f.lanes))}, place);
  else
    d.step("map-seq", {}, place);
  if (inner == "strided" || inner == "strided vec") d.step("strided", {std::to_string(f.modulus)}, place);
  if (unroll != "1") d.step("unroll", {unroll}, place);
  if (chosen(c, "kcache", "no") == "yes") d.step("rotate", {}, place);
  if (chosen(c, "late", "0") == "1") d.step("late-store", {}, place);
  if (prefetch != "0") d.step("prefetch", {prefetch}, place);
}

/// Stores of the block that is computed; the rest of an updated base is copied as usual.
Place streamed_place(const Nest& nest) {
  if (!nest.update) return {};
  Place p = *nest.update;
  p.push_back(1);
  return p;
}

/// A map of rank D as loops, from the outside; the places of its loops.
std::vector<Place> nested(Deriver& d, Place map, std::size_t rank) {
  std::vector<Place> loops;
  for (; rank > 0; --rank) {
    if (rank > 1) d.step("map-nest", {}, map);
    loops.push_back(map);
    map.insert(map.end(), {0, 0});
  }
  return loops;
}

Place below(Place p, std::initializer_list<int> children) {
  p.insert(p.end(), children);
  return p;
}

/// Loops within a tile: the inner one is lowered already.
void sequential_around(Deriver& d, const std::vector<Place>& loops) {
  for (std::size_t i = loops.size() - 1; i-- > 0;) d.step("map-seq", {}, loops[i]);
}

/// Rows of a computed array go through a small array of the thread's own; blocks are made from there.
void derive_buffered(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  const std::vector<Run> runs = shared_runs(c, planned_loops(f, c));
  Place cells = d.start();
  cells.insert(cells.end(), f.cells().place.begin(), f.cells().place.end());
  d.step("tile-blocks", f.buffer, cells);
  const Place consumer = below(cells, {0, 0, 0});  // in the function of the tiles, which a join puts together
  const Place producer = below(consumer, {1, 0, 0});
  const std::vector<Place> made = nested(d, producer, f.inner_rank);
  lower_inner(d, f, c, made.back());
  sequential_around(d, made);
  const std::vector<Place> read = nested(d, consumer, f.inner_rank);
  if (is_vector(c) && f.vectors)
    d.step("map-vec", {chosen(c, "width", std::to_string(f.lanes))}, read.back());
  else
    d.step("map-seq", {}, read.back());
  sequential_around(d, read);
  d.nest_all();
  for (std::size_t i = 0; i < f.axes.size(); ++i) d.step(runs[i].rule, runs[i].arguments, d.loop(i));
}

void derive_loops(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  tile_cells(d, f, c, tile_sizes(f, chosen(c, "tile", "none")), is_by_rows(c));
  d.nest_all();
  const auto loops = planned_loops(f, c);
  if (d.nest().levels.size() != loops.size())
    throw InternalError("space: " + std::to_string(d.nest().levels.size()) + " loops where " +
                        std::to_string(loops.size()) + " were planned");
  if (chosen(c, "order", "k j") == "j k") d.step("interchange", {}, d.loop(inner_loop(loops) - 2));
  for (std::size_t a = f.inner_rank - 1; is_by_columns(f, c) && a > 0; --a)
    d.step("interchange", {}, d.loop(inner_loop(loops) - a));
  bool done = false;
  if (!is_grid(f.options.target) || is_solo(c))
    lower_shared(d, c, loops);
  else
    done = lower_for_grid(d, f, c, loops);
  if (!done) lower_inner(d, f, c, d.loop(inner_loop(loops)));
}

void derive_sweep(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  if (chosen(c, "buffer", "none") != "none")
    derive_buffered(d, f, c);
  else if (!f.axes.empty())
    derive_loops(d, f, c);
  if (chosen(c, "stream", "0") == "1") d.step("stream", {}, streamed_place(d.nest()));
}

}  // namespace

void derive_nest(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  if (is_in_place(f, c)) d.step("update-in-place");
  for (const Place& sweep : sweeps_of(d.part({}))) {
    d.start_at(sweep);
    derive_sweep(d, f, c);
    if (const Nest nest = d.nest(); is_grid(f.options.target) && nest.update)
      d.try_step("copy-base", {}, *nest.update);
  }
  derive_other_nests(d, f, c);
  derive_access(d, f, c);
  if (chosen(c, "layout", "caller") != "caller") d.step("layout", words(chosen(c, "layout", "caller")));
}

}  // namespace lift
