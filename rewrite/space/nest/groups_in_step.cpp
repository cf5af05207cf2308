// Sweeps in step on a grid: a work-group takes an overlapped tile of the inner axes through all planes;
// sweeps keep rings of the tile's planes in local memory, and the group's work-items share what each does in
// a step.
#include <algorithm>
#include <optional>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kItems = 256;  ///< in a group: registers last for the sums of a stencil
/// Local memory that leaves room for several groups; with more than that, a group has more items.
constexpr std::int64_t kShared = std::int64_t{48} * 1024;
constexpr std::int64_t kResident = 768;  ///< items of a multiprocessor that registers last for
constexpr std::int64_t kBusy = 512;      ///< with so many, it does not wait for memory
constexpr std::int64_t kWarp = 32;
/// Cells that a row takes besides its own: it begins and ends within sectors, and warps go across its ends.
constexpr std::int64_t kEnds = 16;
constexpr std::int64_t kOverlap = 3;    ///< cells of the first sweep's region by those of the last's, at most
constexpr std::int64_t kLeast = 8;      ///< cells of a tile along an axis that is longer
constexpr std::int64_t kUnknown = 256;  ///< an axis whose length is not known
constexpr std::size_t kTiles = 6;       ///< offered

using InGroups = NestFacts::InGroups;
using Tile = std::vector<std::int64_t>;  ///< along each axis from that of the steps on

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t length_of(const NestFacts& f, std::size_t axis) { return f.lengths.at(axis).value_or(kUnknown); }

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

/// Cells of a tile with the margins of a stage, along an axis.
std::int64_t length_of(const NestFacts& f, const InGroups& g, const Tile& tile, std::size_t axis,
                       std::size_t stage) {
  return std::min(tile[axis] + 2 * g.margins[axis][stage], length_of(f, axis));
}
/// And in a plane.
std::int64_t cells_of(const NestFacts& f, const InGroups& g, const Tile& tile, std::size_t stage) {
  std::int64_t n = 1;
  for (std::size_t a = 1; a < tile.size(); ++a) n *= length_of(f, g, tile, a, stage);
  return n;
}

/// Local memory of the rings: rows are as long as the longest.
std::int64_t bytes_of(const NestFacts& f, const InGroups& g, const Tile& tile) {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < g.planes.size(); ++s) {
    std::int64_t plane = g.planes[s] * g.bytes[s];
    for (std::size_t a = 1; a < tile.size(); ++a)
      plane *= tile[a] >= length_of(f, a)
                   ? length_of(f, a)
                   : tile[a] + 2 * (a + 1 == tile.size()
                                        ? *std::max_element(g.margins[a].begin(), g.margins[a].end())
                                        : g.margins[a][s]);
    bytes += plane;
  }
  return bytes;
}

bool fits(const NestFacts& f, const InGroups& g, const Tile& tile) {
  return bytes_of(f, g, tile) <= static_cast<std::int64_t>(f.options.local_bytes) &&
         cells_of(f, g, tile, 0) <= kOverlap * cells_of(f, g, tile, g.planes.size() - 1);
}

/// Groups that a multiprocessor's local memory holds, where it is known.
std::int64_t groups_held(const NestFacts& f, std::int64_t bytes) {
  constexpr std::int64_t kOfSystem = 1024;  // beside each group's
  const std::int64_t all = static_cast<std::int64_t>(f.options.local_bytes) + kOfSystem;
  return std::max<std::int64_t>(1, all / (bytes + kOfSystem));
}

/// Along each axis but that of the steps: a row of the first sweep's region side by side, and so many rows
/// that all rounds but the last are full and the last one nearly is.
std::vector<std::int64_t> items_of(const NestFacts& f, const InGroups& g, const Tile& tile) {
  const std::int64_t bytes = bytes_of(f, g, tile),
                     most =
                         bytes > kShared ? std::max(2 * kItems, kResident / groups_held(f, bytes)) : kItems;
  std::int64_t left = std::min(most, static_cast<std::int64_t>(f.options.max_work_group));
  std::vector<std::int64_t> r(tile.size() - 1);
  for (std::size_t a = r.size(); a-- > 0; left /= r[a]) {
    const std::int64_t cells = length_of(f, g, tile, a + 1, 0),
                       rounds = ceil_of(cells, std::max<std::int64_t>(left, 1));
    r[a] = std::max<std::int64_t>(1, ceil_of(cells, rounds));
  }
  return r;
}

/// Multiprocessors that groups are for; 0: not known, and loops around give each of them some. Without such
/// loops a tile of all planes would leave most of any device without work.
std::int64_t units_of(const NestFacts& f) {
  constexpr std::int64_t kOfSomeDevice = 64;
  return f.options.compute_units > 0 ? f.options.compute_units : f.above_update > 0 ? 0 : kOfSomeDevice;
}

/// How much longer all takes as too few items are there at once: while multiprocessors wait for memory, or
/// have no group at the end.
double idle_of(const NestFacts& f, const InGroups& g, const Tile& tile, std::int64_t items) {
  std::int64_t at_once =
      std::min(groups_held(f, bytes_of(f, g, tile)), std::max<std::int64_t>(1, kResident / items));
  double last = 1;
  if (const std::int64_t units = units_of(f); units > 0) {
    std::int64_t groups = 1;
    for (std::size_t a = 0; a < f.above_update; ++a) groups *= f.axes[a].extent.value_or(1);
    for (std::size_t a = 0; a < tile.size(); ++a) groups *= ceil_of(length_of(f, a), tile[a]);
    at_once = std::min(at_once, ceil_of(groups, units));  // spread before they are stacked
    const std::int64_t wave = units * at_once;
    last = static_cast<double>(ceil_of(groups, wave) * wave) / static_cast<double>(groups);
  }
  const bool known = static_cast<std::int64_t>(f.options.local_bytes) > kShared;
  return last *
         (known ? std::max(1.0, static_cast<double>(kBusy) / static_cast<double>(at_once * items)) : 1);
}

/// What the stages take, in rounds of work-items, idle ones of a warp too, a cell of the result.
double cost_of(const NestFacts& f, const InGroups& g, const Tile& tile) {
  constexpr double kLoad = 0.5;  // of what a stage takes that computes
  const std::vector<std::int64_t> items = items_of(f, g, tile);
  std::int64_t in_group = 1;
  for (const std::int64_t n : items) in_group *= n;
  double cost = 0;
  for (std::size_t s = 0; s < g.planes.size(); ++s) {
    std::int64_t rounds = length_of(f, g, tile, 0, s);
    for (std::size_t a = 1; a < tile.size(); ++a)
      rounds *= ceil_of(length_of(f, g, tile, a, s), items[a - 1]);
    cost += (s < g.loads ? kLoad : 1.0) * static_cast<double>(rounds);
  }
  for (std::size_t a = 0; a < tile.size(); ++a)
    cost *= static_cast<double>(ceil_of(length_of(f, a), tile[a])) / static_cast<double>(length_of(f, a));
  const double row = static_cast<double>(length_of(f, g, tile, tile.size() - 1, 0));
  return cost * idle_of(f, g, tile, in_group) * static_cast<double>(ceil_of(in_group, kWarp) * kWarp) *
         (row + kEnds) / row;
}

Tile tile_of(const NestFacts& f, const AxisSizes& sizes) {
  Tile r;
  for (std::size_t a = f.above_update; a < f.axes.size(); ++a) {
    r.push_back(length_of(f, a - f.above_update));
    for (const AxisSize& s : sizes.list)
      if (s.axis == f.axes[a].name) r.back() = s.size;
  }
  return r;
}

/// All planes, or chunks of them where there are too few groups for a device.
std::vector<std::int64_t> chunks_of(const NestFacts& f) {
  constexpr std::int64_t kChunk = 32;  // planes: with fewer, margins are a large part
  const std::int64_t planes = length_of(f, 0);
  std::vector<std::int64_t> r{planes};
  for (std::int64_t parts = 2; units_of(f) > 0 && planes / parts >= kChunk; parts *= 2)
    r.push_back(ceil_of(planes, parts));
  return r;
}

struct Candidate {
  Tile tile;
  double cost;
};
/// The best of each length along the innermost axis, best first.
std::vector<Candidate> best_tiles(const NestFacts& f, const InGroups& g) {
  std::vector<Candidate> best;
  const std::size_t axes = g.margins.size();
  for (const std::int64_t row : lengths_of_tiles(length_of(f, axes - 1), g.margins[axes - 1][0])) {
    std::optional<Candidate> found;
    const auto consider = [&](const Tile& tile) {
      if (!fits(f, g, tile)) return;
      if (Candidate t{tile, cost_of(f, g, tile)}; !found || t.cost < found->cost) found = std::move(t);
    };
    for (const std::int64_t chunk : chunks_of(f))
      if (axes == 2)
        consider({chunk, row});
      else
        for (const std::int64_t rows : lengths_of_tiles(length_of(f, 1), g.margins[1][0]))
          consider({chunk, rows, row});
    if (found) best.push_back(*std::move(found));
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  best.resize(std::min(kTiles, best.size()));
  return best;
}

const InGroups* find(const NestFacts& f, std::int64_t readers, bool wait_once) {
  const auto at = std::find_if(f.in_groups.begin(), f.in_groups.end(), [&](const InGroups& g) {
    return g.readers == readers && g.wait_once == wait_once;
  });
  return at == f.in_groups.end() ? nullptr : &*at;
}

void add_tiles(const NestFacts& f, const InGroups& g, std::vector<AxisSizes>& to) {
  if (g.margins.size() < 2 || g.margins.size() > 3) return;
  for (const Candidate& best : best_tiles(f, g)) {
    AxisSizes tile;
    for (std::size_t a = 0; a < best.tile.size(); ++a)
      if (a > 0 || best.tile[a] < length_of(f, a))
        tile.list.push_back({f.axes[f.above_update + a].name, best.tile[a]});
    if (std::find(to.begin(), to.end(), tile) == to.end()) to.push_back(std::move(tile));
  }
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

std::vector<AxisSizes> group_tiles(const NestFacts& f, std::int64_t readers, bool wait_once) {
  std::vector<AxisSizes> r;
  if (const InGroups* g = find(f, readers, wait_once)) add_tiles(f, *g, r);
  return r;
}

std::vector<AxisSizes> group_tiles(const NestFacts& f, std::int64_t readers) {
  std::vector<AxisSizes> r = group_tiles(f, readers, false);
  for (AxisSizes& tile : group_tiles(f, readers, true))
    if (std::find(r.begin(), r.end(), tile) == r.end()) r.push_back(std::move(tile));
  return r;
}

std::vector<AxisSizes> group_tiles(const NestFacts& f) {
  std::vector<AxisSizes> r;
  for (const InGroups& g : f.in_groups)
    if (!g.wait_once)
      for (AxisSizes& tile : group_tiles(f, g.readers))
        if (std::find(r.begin(), r.end(), tile) == r.end()) r.push_back(std::move(tile));
  return r;
}

bool goes_in_groups(const NestFacts& f, const Configuration& c) {
  return f.inside == Inside::groups || (f.on_grid() && !c[key::time].empty());
}

bool fits_in_groups(const NestFacts& f, const Configuration& c, bool wait_once) {
  const InGroups* g = find(f, c[key::loads], wait_once);
  return g != nullptr && fits(f, *g, tile_of(f, c[key::strips]));
}

Rewriting groups::derive(const Rewriting& start, const NestFacts& f, const Configuration& c) {
  NestDeriver d(f.chain.copies ? with_results_copied(start) : start, f);
  const AxisSizes& tile = c[key::strips];
  const InGroups& g = *find(f, c[key::loads], c[key::team]);
  const std::size_t inner = g.margins.size() - 1;
  take(decisions::readonly(), d, f, c);
  Place at;
  for (std::size_t a = 0; a < f.above_update; ++a, at = body_of(at)) {
    share_loops(d, at);
    d.step("map-wrg", {tile.list.size() + f.above_update - 1 - a}, at);
  }
  if (g.readers > 0) d.step("load-stages", {g.readers}, {});
  d.step("rings", {});
  for (const AxisSize& s : tile.list)
    for (std::size_t a = 0; a <= inner; ++a)
      if (f.axes[f.above_update + a].name == s.axis) d.step("in-tiles", {a, s.size}, {});
  const std::vector<ChainStage> stages = chain_of(d.program()).stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    run_sweep(d, stages[s].place, items_of(f, g, tile_of(f, tile)));
    if (s < g.loads && !f.target().copies_by_groups) d.step("async", content_of(stages[s].place));
  }
  d.step("in-step", {0, 1}, {});
  if (c[key::team]) d.step("wait-once", {});
  return d.result();
}

/// Sweeps in one pass over memory.
std::vector<Wishes> groups::first_guesses(const NestFacts& f, const NestFacts*) {
  constexpr std::size_t kMost = 2, kLittle = std::size_t{48} * 1024;
  // Rings of what is loaded leave little of a small local memory to those of sweeps.
  const bool little = f.options.local_bytes <= kLittle;
  std::vector<Wishes> r;
  for (const std::int64_t readers :
       little ? std::vector<std::int64_t>{0, 2, 1} : std::vector<std::int64_t>{1, 2, 0}) {
    const std::vector<AxisSizes> tiles = group_tiles(f, readers, false),
                                 of_one_barrier = group_tiles(f, readers, true);
    const auto add = [&](const AxisSizes& tile, bool team) {
      r.push_back({{key::in_place, false},
                   {key::time, AxisSizes{{{f.axes[f.above_update].name, 1}}}},
                   {key::rings, true},
                   {key::loads, readers},
                   {key::strips, tile},
                   {key::team, team}});
    };
    for (std::size_t t = 0; t < std::min(kMost, tiles.size()); ++t) add(tiles[t], false);
    for (const bool team : {false, true})  // smaller ones, as they need more planes
      if (!of_one_barrier.empty()) add(of_one_barrier[0], team);
  }
  return r;
}

}  // namespace lift
