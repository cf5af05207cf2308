// How many cells a work-item of a group computes: every n-th of a tile along an axis, or n neighbours.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Neighbours are offered across the unit-stride axis only: along it, the items of a warp would be apart.
std::vector<AxisSizes> items_offered(const NestFacts& f) {
  if (!f.on_grid()) return {};
  std::vector<AxisSizes> r{{{{"", 1}}}, {{{"", 2}}}, {{{"", 4}}}};
  if (f.inner_rank > 1 && f.block.empty())
    for (const std::int64_t n : {2, 4}) r.push_back({{{shared_axis(f), n}}});
  return r;
}

bool admits_items(const NestFacts& f, const Configuration& c, const AxisSizes& items) {
  const SharedCells cells = shared_cells(items);
  if (cells.number == 1) return true;
  if (!is_by_groups(c) || is_split(c)) return false;
  const std::int64_t length = shared_length(f, c);
  return length >= 2 * cells.number && length % cells.number == 0;
}

/// Neighbours along the shared axis are left to one work-item: a loop over them within all others.
void take_items(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
  const SharedCells cells = shared_cells(c);
  if (!cells.neighbours) return;
  const auto& loops = d.loops();
  const auto is_shared = [&](const Loop& l) { return !l.tiles && l.axis == shared_axis(f); };
  const auto shared =
      static_cast<std::size_t>(std::find_if(loops.begin(), loops.end(), is_shared) - loops.begin());
  d.step("split-join", {cells.number}, d.loop(shared));
  for (std::size_t at = shared + 1; at < loops.size(); ++at) {
    const Place place = d.loop(at);
    if (!d.part(body_of(place)).is(Op::Transpose)) {
      d.step("interchange", place);
      continue;
    }
    d.step("map-of-transpose", place);  // loops that have changed places before
    d.step("map-of-mapped", content_of(place));
  }
  d.step("map-unroll", {cells.number}, d.loop(loops.size()));
}

std::string items_words(const NestFacts&, const Configuration& c) {
  const SharedCells cells = shared_cells(c);
  return cells.number == 1 ? "" : cells.neighbours ? "neighbouring cells an item" : "several cells an item";
}

}  // namespace

SharedCells shared_cells(const AxisSizes& items) {
  if (items.empty()) return {};
  return {items.list[0].size, !items.list[0].axis.empty()};
}

std::int64_t shared_length(const NestFacts& f, const Configuration& c) {
  const auto sizes = tile_sizes(f, c[key::tile]);
  if (sizes.empty()) return 0;
  const std::size_t d = sizes.size() > 1 ? sizes.size() - 2 : 0;
  if (d == 0 && sizes.size() > 1 && is_by_columns(f, c)) return 0;  // that axis is no work-item's
  return sizes[d] < f.axes[f.first_inner() + d].extent.value_or(0) ? sizes[d] : 0;
}
std::string shared_axis(const NestFacts& f) {
  return f.axes[f.axes.size() - (f.inner_rank > 1 ? 2 : 1)].name;
}

namespace decisions {

const Decision& items() {
  static const auto& d = *new Decision(
      decide(key::items).offers(items_offered).admitted(admits_items).taken(take_items).said(items_words));
  return d;
}

}  // namespace decisions
}  // namespace lift
