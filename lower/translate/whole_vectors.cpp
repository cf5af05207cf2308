#include "lower/translate/whole_vectors.hpp"

#include <algorithm>

#include "ir/expr/ops.hpp"

namespace lift {
namespace {

constexpr std::int64_t kBytes = 16;  // that an item copies at once

bool is_whole(const Nat& n, std::int64_t unit) { return Facts().proves(equal(mod(n, unit), 0)); }

}  // namespace

void read_whole_vectors(const ChainStage& stage, StageGrid& grid) {
  const Expr& ring = stage.value;
  if (!ring.is(Op::Ring) || !ring.child(0).is(Op::Async) || grid.read.empty()) return;
  const std::size_t row = grid.read.size() - 1;
  if (grid.scale[row] != 1 || grid.each[row] != 1 || !(grid.begins[row] == Nat(0))) return;
  const Type element = element_of(ring.type());
  if (!element.is_scalar()) return;
  std::int64_t unit = kBytes / static_cast<std::int64_t>(size_of(element.scalar()));
  while (unit > 1 && !is_whole(shape_of(ring.type()).back(), unit)) unit /= 2;
  grid.at_once = std::max<std::int64_t>(unit, 1);
  if (auto& read = grid.read[row]; read && unit > 1)
    read = PositionsRead{unit * floordiv(read->first, unit), unit * ceildiv(read->end, unit)};
}

void make_margins_whole_vectors(const std::vector<StageGrid>& grids, TileOfStages& tile) {
  if (tile.margins.empty()) return;
  const std::int64_t most = *std::max_element(tile.margins.begin(), tile.margins.end());
  for (std::size_t stage = 0; stage < tile.margins.size(); ++stage) {
    if (tile.axis + 1 != grids.at(stage).read.size()) continue;
    const auto whole = [&](std::int64_t unit) { return (tile.margins[stage] + unit - 1) / unit * unit; };
    std::int64_t unit = grids[stage].at_once;
    while (unit > 1 && (!is_whole(tile.width, unit) || whole(unit) > most)) unit /= 2;
    tile.margins[stage] = whole(std::max<std::int64_t>(unit, 1));
  }
}

}  // namespace lift
