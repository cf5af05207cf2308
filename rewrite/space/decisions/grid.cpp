// Which loops are the grid's: work-items for cells or columns, work-groups for tiles, or work-groups of one
// item that do as threads do.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// The last n of some names, outer to inner.
Loops last(const std::vector<std::string>& names, std::size_t n) {
  return {Loops::By::itself, {names.end() - static_cast<std::ptrdiff_t>(n), names.end()}};
}
const Loops& by_groups() {
  static const auto& l = *new Loops{Loops::By::groups, {}};
  return l;
}

/// Around scans: two or three neighbours up to the innermost, or without it. Columns in tiles: a work-group
/// each.
std::vector<Loops> grids_around_levels(const NestFacts& f, const Configuration& c) {
  if (!c[key::tile].empty() && is_by_levels(c)) return {by_groups()};
  const std::vector<std::string> all = loops_around(f, c);
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<Loops> r;
  for (std::size_t end = all.size(); end > 0 && end + 2 > all.size(); --end)
    for (const std::size_t length : {3U, 2U, 1U})
      if (length <= end && (length == 3 || length == end || end - length == 1))
        r.push_back({Loops::By::itself, {at(end - length), at(end)}});
  if (r.empty()) return {{}};
  if (!f.options.cpu || is_by_levels(c)) return r;
  std::vector<Loops> solos = r;  // a processor's groups of one item each go through their tiles as threads do
  for (Loops& l : solos) l.by = Loops::By::solo;
  r.insert(r.begin(), solos.begin(), solos.end());
  return r;
}

/// Items that run along columns: one a column or chunk of one, and box where there is room.
std::vector<Loops> column_grids(const NestFacts& f, const LoopNest& loops) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < loops.inner(); ++i)
    if (!loops[i].single() && !loops[i].block) names.push_back(loops[i].name());
  const std::size_t least =
      std::min(names.size(), f.inner_rank - 1 + (loops.size() > f.axes.size() + f.block.size() ? 1 : 0));
  std::vector<Loops> r;
  for (std::size_t n = std::min<std::size_t>(3, names.size()); n > 0 && n >= least; --n)
    r.push_back(last(names, n));
  return r;
}

/// An item keeps the sum of a row for the loops over the row's elements, which it goes through by itself.
std::vector<Loops> loops_above_sums(const NestFacts& f, const Configuration& c) {
  if (!c[key::tile].empty()) return {};
  const LoopNest loops = loops_of(f, c);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min({f.above_sums, loops.size(), std::size_t{3}}); ++i)
    if (!loops[i].single()) names.push_back(loops[i].name());
  if (names.empty()) return {};
  return {last(names, names.size())};
}

/// Loops whose iterations are work-items: up to three neighbours in the nest, four where there are work-items
/// for every cell (the outer two share the grid's third dimension); with tiles, the tiles are work-groups.
std::vector<Loops> item_loops(const NestFacts& f, const Configuration& c) {
  if (c[key::buffer]) return {};
  const bool copies =
      f.update &&
      !is_in_place(f, c);  // the base is copied inside the outer loops: these are over the grid, too
  const AxisSizes& tile = c[key::tile];
  if (f.above_sums > 0) return loops_above_sums(f, c);
  if (!tile.empty() && !is_chunk(f, tile))
    return copies || !(is_by_columns(f, c) || is_group(f, c)) ? std::vector<Loops>{}
                                                              : std::vector{by_groups()};
  const LoopNest loops = loops_of(f, c);
  if (is_by_columns(f, c)) return column_grids(f, loops);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (!loops[i].single() && !loops[i].block) names.push_back(loops[i].name());
  std::vector<Loops> r;
  for (std::size_t length = f.on_processors() ? 3 : 4; length > 0; --length)
    for (std::size_t from = 0;
         from + length <= names.size() && from < (copies || f.above_others > 0 ? 1U : 2U); ++from)
      r.push_back(last({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(from + length)}, length));
  return r;
}

Loops solo(const Loops& loops) { return {Loops::By::solo, loops.names}; }
std::vector<Loops> solo_loops(const NestFacts& f, const Configuration& c) {
  std::vector<Loops> r;
  if (!is_by_columns(f, c))
    for (const Loops& l : parallel_loops(f, c)) r.push_back(solo(l));
  return r;
}

/// Loops around stages that are stored are dealt to work-items, all of them: work-items cannot wait for each
/// other in a loop.
bool goes_around_stages(const NestFacts& f, const Configuration& c, const Loops& grid) {
  if (is_fused(c)) return true;
  const LoopNest loops = loops_of(f, c);
  for (std::size_t i = 0; i < std::min(f.above_others, loops.size()); ++i)
    if (!loops[i].single() && !grid.has(loops[i].name())) return false;
  return true;
}

std::vector<Loops> grids_now(const NestFacts& f, const Configuration& c) {
  if (f.has_levels()) return grids_around_levels(f, c);
  if (goes_in_groups(f, c) || goes_in_one_group(f, c)) return {};
  std::vector<Loops> all = item_loops(f, c);
  for (const Loops& l : solo_loops(f, c)) all.push_back(l);
  std::erase_if(all, [&](const Loops& l) { return !goes_around_stages(f, c, l); });
  return all;
}

/// All for all tiles; groups of one item come first on processors, last elsewhere.
std::vector<Loops> offered_grids(const NestFacts& f) {
  if (!f.on_grid()) return {};
  if (f.has_levels()) return of_all_shapes(f, grids_around_levels);
  std::vector<Loops> items, solos;
  if (f.options.cpu)
    for (const Loops& l : all_parallel_loops(f))
      if (!l.names.empty()) add_new(solos, solo(l));
  for (const AxisSizes& tile : tiles(f))
    for (const bool in_place : {true, false})
      for (const int layout : {kCallerLayout, kSplitLayout})
        for (const Loops& order : orders(f)) {
          if (is_chunk(f, tile) && order == orders(f).front()) continue;
          const Configuration c{{key::tile, tile},
                                {key::in_place, in_place},
                                {key::layout, Choice{layout, {}}},
                                {key::order, order}};
          for (const Loops& l : item_loops(f, c)) add_new(items, l);
          for (const Loops& l : solo_loops(f, c)) add_new(solos, l);
        }
  if (!f.on_processors())  // neighbouring work-items meet neighbouring elements
    std::stable_partition(items.begin(), items.end(), [&](const Loops& l) {
      return !l.names.empty() && l.names.back() == f.axes.back().name;
    });
  std::vector<Loops>& all = f.options.cpu ? solos : items;
  for (const Loops& l : f.options.cpu ? items : solos) all.push_back(l);
  all.push_back({});
  return all;
}

/// The axes that have a dimension of the grid, innermost first: of tiles, then of loops around these.
std::vector<std::string> group_axes(const NestDeriver& d, std::size_t around) {
  std::vector<std::string> axes;
  for (std::size_t i = d.size(); i-- > 0;)
    if (d[i].tiles && !d[i].single()) axes.push_back(d[i].axis);
  for (std::size_t i = around; i-- > 0;)  // a fourth dimension shares the third
    if (!d[i].single() && axes.size() < 4) axes.push_back(d[i].axis);
  return axes;
}

/// Tiles on work-groups, their cells on items, a number of them each.
void run_on_groups(NestDeriver& d, const NestFacts& f, const Configuration& c) {
  const std::size_t around = d.size() - 2 * f.inner_rank - f.block.size();
  const std::vector<std::string> axes = group_axes(d, around);
  const bool along = is_by_columns(f, c) || c[key::local] == Local::planes;  // the outer axis is gone along
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (d[i].block) continue;
    const std::string& axis = d[i].axis;
    const auto at = std::find(axes.begin(), axes.end(), axis);
    const bool work_group = d[i].tiles || i < around;
    d.inner_is_item = at != axes.end() && (work_group || !along || axis != f.outer_inner().name);
    if (!d.inner_is_item) {
      if (i < d.inner()) d.step("map-seq", d.loop(i));
      continue;
    }
    const auto dim = static_cast<int>(at - axes.begin());
    d.step(work_group ? "map-wrg" : "map-lcl", {dim}, d.loop(i));
    if (work_group) continue;
    const SharedCells cells = axis == shared_axis(f) ? shared_cells(c) : SharedCells{};
    d.group[axis] = {dim, *d[i].trips / cells.number};
    if (cells.number > 1 && !cells.neighbours) d.step("items", {d.group[axis].second}, d.loop(i));
  }
}

void run_on_items(NestDeriver& d, const NestFacts& f, const Configuration& c) {
  const std::vector<std::string>& names = c[key::grid].names;
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (d[i].block) continue;
    const auto at = std::find(names.begin(), names.end(), d[i].name());
    d.inner_is_item = at != names.end();
    if (d.inner_is_item) {
      d.step("map-glb", {names.end() - at - 1}, d.loop(i));
      if (i == d.inner() && c[key::inner] == Inner::strided) d.step("strided", {inner_stride(f)}, d.loop(i));
    } else if (i < d.inner())
      d.step("map-seq", d.loop(i));
  }
}

void take_grid(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
  if (!f.on_grid()) return;
  if (f.has_levels()) return run_around(d, f, c);
  if (is_solo(c)) return run_shared(d, c);
  run_blocks(d, c, std::vector<bool>(d.size(), false));
  if (is_by_groups(c))
    run_on_groups(d, f, c);
  else
    run_on_items(d, f, c);
}

}  // namespace

void run_around(Deriver& d, const NestFacts& f, const Configuration& c) {
  const std::vector<std::string> names = loops_around(f, c, true);
  const bool groups = is_by_groups(c);
  std::vector<std::string> parallel = f.on_grid() ? c[key::grid].names : c[key::parallel].names;
  if (groups) parallel.assign(names.begin(), names.end() - 1);  // the tiles and the loops around them
  const std::ptrdiff_t most = 4;  // dimensions of a grid; the last two share one
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto dimension = parallel.end() - std::find(parallel.begin(), parallel.end(), names[i]) - 1;
    if (groups && i + 1 == names.size())
      d.step("map-lcl", {0}, d.level(i));
    else if (dimension < 0 || dimension >= most)
      d.step("map-seq", d.level(i));
    else if (!f.on_grid())
      d.step("map-par", d.level(i));
    else
      d.step(groups || is_solo(c) ? "map-wrg" : "map-glb", {dimension}, d.level(i));
  }
}

bool inner_is_loop(const NestFacts& f, const Configuration& c) {
  if (goes_in_groups(f, c) || goes_in_one_group(f, c)) return false;
  if (!f.on_grid() || is_by_columns(f, c) || is_solo(c)) return true;
  if (is_by_groups(c)) {
    const auto tile = tile_sizes(f, c[key::tile]);
    return !tile.empty() && tile.back() == f.axes.back().extent;
  }
  const std::vector<std::string>& names = c[key::grid].names;
  return names.empty() || names.back() != f.axes.back().name;
}

namespace decisions {

const Decision& grid() {
  static const auto& d =
      *new Decision(decide(key::grid)
                        .offers(offered_grids)
                        .chosen_among(grids_now)
                        .taken(take_grid)
                        .said([](const NestFacts& f, const Configuration& c) -> std::string {
                          return f.on_grid() ? "grid " + key::grid.text(c[key::grid]) : "";
                        }));
  return d;
}

}  // namespace decisions
}  // namespace lift
