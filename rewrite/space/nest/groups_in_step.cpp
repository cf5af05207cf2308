// Sweeps in step on a grid: a work-group takes an overlapped tile of the inner axes through all planes;
// sweeps keep rings of the tile's planes in local memory, and the group's work-items share what each does in
// a step.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kRing = 4;     ///< planes of sweeps of radius 1, where a group waits once a step
constexpr std::int64_t kItems = 256;  ///< in a group: registers last for the sums of a stencil
constexpr std::int64_t kOverlap = 3;  ///< cells of the first sweep's region by those of the last's, at most

/// Regions that the first sweep computes, outer axes before inner ones: whole warps side by side.
std::vector<std::vector<std::int64_t>> regions(std::size_t axes) {
  if (axes == 1) return {{128}, {256}, {64}};
  return {{16, 32}, {8, 64}, {8, 32}, {16, 64}, {22, 22}, {32, 32}, {16, 16}};
}

/// Cells of a tile with the margins of a sweep.
std::int64_t cells_of(const NestFacts& f, const std::vector<std::int64_t>& tile, std::size_t sweep) {
  std::int64_t n = 1;
  for (std::size_t a = 0; a < tile.size(); ++a) n *= tile[a] + 2 * f.margins[a][sweep];
  return n;
}

bool fits(const NestFacts& f, const std::vector<std::int64_t>& tile) {
  std::int64_t ring_cells = 0;
  for (std::size_t s = 0; s + 1 < f.sweeps; ++s) ring_cells += kRing * cells_of(f, tile, s);
  return ring_cells * static_cast<std::int64_t>(f.element_bytes) <=
             static_cast<std::int64_t>(f.options.local_bytes) &&
         cells_of(f, tile, 0) <= kOverlap * cells_of(f, tile, f.sweeps - 1);
}

/// Along each axis: those of the first sweep's region, as far as a group has as many.
std::vector<std::int64_t> items_of(const NestFacts& f, const AxisSizes& tile) {
  std::int64_t left = std::min(kItems, static_cast<std::int64_t>(f.options.max_work_group));
  std::vector<std::int64_t> r(tile.list.size());
  for (std::size_t a = r.size(); a-- > 0; left /= r[a])
    r[a] = std::max<std::int64_t>(1, std::min(tile.list[a].size + 2 * f.margins[a][0], left));
  return r;
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
  for (std::vector<std::int64_t> cells : regions(f.margins.size())) {
    AxisSizes tile;
    bool any = true;
    for (std::size_t a = 0; a < cells.size(); ++a) {
      const Axis& axis = f.axes[f.above_update + 1 + a];
      cells[a] = std::min(cells[a] - 2 * f.margins[a][0], axis.extent.value_or(cells[a]));
      any = any && cells[a] > 0;
      tile.list.push_back({axis.name, cells[a]});
    }
    if (any && fits(f, cells) && std::find(r.begin(), r.end(), tile) == r.end()) r.push_back(std::move(tile));
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
  for (const ChainStage& s : chain_of(d.program()).stages) run_sweep(d, s.place, items_of(f, tile));
  d.step("in-step", {0, c[key::time].list[0].size}, {});
  if (c[key::team]) d.step("wait-once", {});
}

}  // namespace lift
