// Sweeps in step on a grid: a work-group takes an overlapped tile of the inner axes through all planes;
// sweeps keep rings of the tile's planes in local memory, and the group's work-items share what each does in
// a step.
#include <algorithm>
#include <optional>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kRing = 4;     ///< planes of sweeps of radius 1, where a group waits once a step
constexpr std::int64_t kItems = 256;  ///< in a group: registers last for the sums of a stencil
/// Local memory that leaves room for several groups; with more than that, a group has twice the items.
constexpr std::int64_t kShared = 48 * 1024;
constexpr std::int64_t kResident = 768;  ///< items of a multiprocessor that registers last for
constexpr std::int64_t kBusy = 512;      ///< with so many, it does not wait for memory
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kSector = 4;     ///< cells, in f64, that memory moves together
constexpr std::int64_t kOverlap = 3;    ///< cells of the first sweep's region by those of the last's, at most
constexpr std::int64_t kLeast = 8;      ///< cells of a tile along an axis that is longer
constexpr std::int64_t kUnknown = 256;  ///< an axis whose length is not known
constexpr std::size_t kTiles = 7;       ///< offered

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t length_of(const NestFacts& f, std::size_t inner_axis) {
  return f.lengths.at(inner_axis).value_or(kUnknown);
}

/// Lengths of tiles along an axis: equal parts of it, and those with which the first sweep's region is whole
/// warps.
std::vector<std::int64_t> lengths_of_tiles(std::int64_t length, std::int64_t margin) {
  std::vector<std::int64_t> r;
  const auto add = [&](std::int64_t n) {
    if (n > 0 && n <= length && std::find(r.begin(), r.end(), n) == r.end()) r.push_back(n);
  };
  for (std::int64_t parts = 1; parts == 1 || ceil_of(length, parts) >= kLeast; ++parts)
    add(ceil_of(length, parts));
  for (std::int64_t region = kWarp / 2; region <= 2 * kItems; region *= 2) add(region - 2 * margin);
  return r;
}

/// Cells of a tile with the margins of a sweep.
std::int64_t cells_of(const NestFacts& f, const std::vector<std::int64_t>& tile, std::size_t sweep) {
  std::int64_t n = 1;
  for (std::size_t a = 0; a < tile.size(); ++a) n *= tile[a] + 2 * f.margins[a][sweep];
  return n;
}

/// Local memory of the rings.
std::int64_t bytes_of(const NestFacts& f, const std::vector<std::int64_t>& tile) {
  std::int64_t cells = 0;
  for (std::size_t s = 0; s + 1 < f.sweeps; ++s) cells += kRing * cells_of(f, tile, s);
  return cells * static_cast<std::int64_t>(f.element_bytes);
}

bool fits(const NestFacts& f, const std::vector<std::int64_t>& tile) {
  return bytes_of(f, tile) <= static_cast<std::int64_t>(f.options.local_bytes) &&
         cells_of(f, tile, 0) <= kOverlap * cells_of(f, tile, f.sweeps - 1);
}

/// Along each axis, outer to inner: a row of the first sweep's region side by side, and so many rows that all
/// rounds but the last are full and the last one nearly is.
std::vector<std::int64_t> items_of(const NestFacts& f, const std::vector<std::int64_t>& tile) {
  const std::int64_t most = bytes_of(f, tile) > kShared ? 2 * kItems : kItems;
  std::int64_t left = std::min(most, static_cast<std::int64_t>(f.options.max_work_group));
  std::vector<std::int64_t> r(tile.size());
  for (std::size_t a = r.size(); a-- > 0; left /= r[a]) {
    const std::int64_t cells = tile[a] + 2 * f.margins[a][0],
                       rounds = ceil_of(cells, std::max<std::int64_t>(left, 1));
    r[a] = std::max<std::int64_t>(1, ceil_of(cells, rounds));
  }
  return r;
}

/// Groups that a multiprocessor holds, where its local memory is known.
std::int64_t resident(const NestFacts& f, std::int64_t bytes, std::int64_t items) {
  constexpr std::int64_t kOfSystem = 1024;  // beside each group's
  const std::int64_t all = static_cast<std::int64_t>(f.options.local_bytes) + kOfSystem;
  return std::max<std::int64_t>(1, std::min(all / (bytes + kOfSystem), kResident / items));
}

/// How much longer all takes as too few items are there at once: while multiprocessors wait for memory, or
/// have no group at the end.
double idle_of(const NestFacts& f, const std::vector<std::int64_t>& tile, std::int64_t items) {
  const std::int64_t groups_at_once = resident(f, bytes_of(f, tile), items);
  double longer = 1;
  if (static_cast<std::int64_t>(f.options.local_bytes) > kShared)
    longer = std::max(1.0, static_cast<double>(kBusy) / static_cast<double>(groups_at_once * items));
  if (f.options.compute_units <= 0) return longer;
  std::int64_t groups = 1;
  for (std::size_t a = 0; a < f.above_update; ++a) groups *= f.axes[a].extent.value_or(1);
  for (std::size_t a = 0; a < tile.size(); ++a) groups *= ceil_of(length_of(f, a), tile[a]);
  const std::int64_t wave = f.options.compute_units * groups_at_once;
  const std::int64_t at_once =
      groups < wave ? f.options.compute_units : wave;  // spread before they are stacked
  return longer * static_cast<double>(ceil_of(groups, at_once) * at_once) / static_cast<double>(groups);
}

/// What the first sweep takes in a plane, in rounds of work-items, idle ones of a warp too, over cells; rows
/// that begin within a sector move it twice.
double cost_of(const NestFacts& f, const std::vector<std::int64_t>& tile) {
  const std::vector<std::int64_t> items = items_of(f, tile);
  std::int64_t in_group = 1, rounds = 1;
  double cost = 1;
  for (std::size_t a = 0; a < tile.size(); ++a) {
    const std::int64_t cells = tile[a] + 2 * f.margins[a][0], length = length_of(f, a);
    in_group *= items[a], rounds *= ceil_of(cells, items[a]);
    cost *= static_cast<double>(ceil_of(length, tile[a])) / static_cast<double>(length);
  }
  const double row = static_cast<double>(tile.back() + 2 * f.margins.back()[0]);
  cost *= idle_of(f, tile, in_group);
  return cost * static_cast<double>(ceil_of(in_group, kWarp) * kWarp * rounds) * (row + kSector) / row;
}

/// A sweep's loops: planes one after the other, the tile's cells on work-items.
void run_sweep(NestDeriver& d, const Place& sweep, const std::vector<std::int64_t>& items) {
  Place loop = main_nest(d.part({}), sweep).levels.at(0).place;
  for (std::size_t left = items.size() + 1; left-- > 0; loop = body_of(loop)) {
    if (op_rank(d.part(loop)) > 1) d.step("map-nest", loop);
    if (left == items.size()) {
      d.step("map-seq", loop);
      continue;
    }
    d.step("map-lcl", {left}, loop);
    d.step("items", {items[items.size() - 1 - left]}, loop);
  }
}

}  // namespace

std::vector<AxisSizes> group_tiles(const NestFacts& f) {
  std::vector<AxisSizes> r;
  if (f.margins.empty() || f.margins.size() > 2) return r;
  struct Tile {
    std::vector<std::int64_t> cells;
    double cost;
  };
  std::vector<Tile> best;  // of each length along the innermost axis
  const std::size_t inner = f.margins.size() - 1;
  for (const std::int64_t row : lengths_of_tiles(length_of(f, inner), f.margins[inner][0])) {
    std::optional<Tile> found;
    const auto consider = [&](const std::vector<std::int64_t>& cells) {
      if (!fits(f, cells)) return;
      if (Tile t{cells, cost_of(f, cells)}; !found || t.cost < found->cost) found = std::move(t);
    };
    if (inner == 0)
      consider({row});
    else
      for (const std::int64_t rows : lengths_of_tiles(length_of(f, 0), f.margins[0][0]))
        consider({rows, row});
    if (found) best.push_back(*std::move(found));
  }
  std::stable_sort(best.begin(), best.end(), [](const Tile& a, const Tile& b) { return a.cost < b.cost; });
  for (std::size_t t = 0; t < std::min(kTiles, best.size()); ++t) {
    AxisSizes tile;
    for (std::size_t a = 0; a < best[t].cells.size(); ++a)
      tile.list.push_back({f.axes[f.above_update + 1 + a].name, best[t].cells[a]});
    r.push_back(std::move(tile));
  }
  return r;
}

bool goes_in_groups(const NestFacts& f, const Configuration& c) {
  return f.on_grid() && !c[key::time].empty();
}

void derive_in_groups(NestDeriver& d, const NestFacts& f, const Configuration& c) {
  const AxisSizes& tile = c[key::strips];
  const std::size_t inner = tile.list.size();
  take(common::readonly(), d, f, c);
  Place at;
  for (std::size_t a = 0; a < f.above_update; ++a, at = body_of(at)) {
    share_loops(d, at);
    d.step("map-wrg", {inner + f.above_update - 1 - a}, at);
  }
  d.step("rings", {});
  for (std::size_t a = 0; a < inner; ++a) d.step("in-tiles", {a + 1, tile.list[a].size}, {});
  std::vector<std::int64_t> cells;
  for (const AxisSize& s : tile.list) cells.push_back(s.size);
  for (const ChainStage& s : chain_of(d.program()).stages) run_sweep(d, s.place, items_of(f, cells));
  d.step("in-step", {0, c[key::time].list[0].size}, {});
  if (c[key::team]) d.step("wait-once", {});
}

}  // namespace lift
