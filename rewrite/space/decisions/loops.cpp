// The loops of the main nest, and how a program under derivation follows their moves.

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {

void LoopNest::reset(const NestFacts& f) {
  facts_ = &f;
  loops_.clear();
  for (std::size_t a = 0; a < f.axes.size(); ++a)
    loops_.push_back({f.axes[a].name, f.axes[a].extent, f.update && a >= f.above_update});
  for (const Axis& a : f.block) loops_.push_back({a.name, a.extent, f.update, false, true});  // within cells
}

std::size_t LoopNest::inner() const {
  std::size_t i = loops_.size();
  while (i-- > 0)
    if (!loops_[i].block) return i;
  return 0;
}

void LoopNest::cut(const AxisSizes& tile) {
  if (tile.empty()) return;
  const std::vector<std::int64_t> sizes = tile_sizes(*facts_, tile);
  const std::size_t first = facts_->first_inner();
  std::vector<Loop> over;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    Loop& cells = loops_[first + d];
    over.push_back(cells);
    over.back().trips = (*cells.trips + sizes[d] - 1) / sizes[d], over.back().tiles = true;
    cells.trips = sizes[d];
  }
  loops_.insert(loops_.begin() + static_cast<std::ptrdiff_t>(first), over.begin(), over.end());
  on_cut(sizes);
}

void LoopNest::write_by_rows() {
  const std::size_t n = facts_->block.size(), cells = loops_.size() - 2 * n;
  std::vector<Loop> rows(loops_.begin(), loops_.begin() + static_cast<std::ptrdiff_t>(cells));
  for (std::size_t d = 0; d < n; ++d)
    rows.push_back(loops_[cells + d]), rows.push_back(loops_[cells + n + d]);
  loops_ = std::move(rows);
  on_write_by_rows();
}

void LoopNest::interchange(std::size_t outer) {
  on_interchange(outer);
  std::swap(loops_[outer], loops_[outer + 1]);
}

LoopNest loops_of(const NestFacts& f, const Configuration& c) {
  LoopNest loops(f);
  decisions::shape_tiles(loops, c);
  decisions::shape_blocks(loops, c);
  decisions::shape_order(loops, f, c);
  return loops;
}

void NestDeriver::begin(const Place& place, const NestFacts& f) {
  start_at(place);
  reset(f);
  group.clear(), inner_is_item = false;
  join_ = cells();
  if (!join_.empty()) join_.pop_back();
}

Place NestDeriver::cells() const {
  Place p = start();
  const Place& below = facts().cells().place;
  p.insert(p.end(), below.begin(), below.end());
  return p;
}

/// The join of the cells' blocks moves into the tiles.
void NestDeriver::on_cut(const std::vector<std::int64_t>& tile) {
  step("tile", Arguments(tile.begin(), tile.end()), cells());
  if (facts().block.empty()) return;
  if (part(content_of(join_)).is(Op::Drop)) {
    step("join-of-drop", join_);
    join_ = content_of(join_);
  }
  step("join-of-join", join_);
  join_ = content_of(join_);
  step("map-fusion", join_);
  join_ = body_of(join_);
}

/// The join of rank D becomes joins of rank 1, inwards: each in the loops over an outer dimension of the
/// cells and of their blocks.
void NestDeriver::on_write_by_rows() {
  Place join = join_;
  for (std::size_t rank = facts().block.size(); rank > 1; --rank) {
    step("join-map-nest", join);
    join = body_of(body_of(content_of(join)));
  }
}

void NestDeriver::nest_loops() {
  nest_all();
  if (const std::size_t levels = nest().levels.size(); levels != size())
    throw InternalError("space: the program has " + std::to_string(levels) + " loops, its derivation knows " +
                        std::to_string(size()));
}

}  // namespace lift
