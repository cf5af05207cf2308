#include "gmg/partition.hpp"

#include <algorithm>
#include <numeric>

#include "ir/error.hpp"

namespace lift::gmg {
namespace {

std::int64_t multiple(std::int64_t n, std::int64_t of) { return (n + of - 1) / of * of; }

std::string dotted(const auto& numbers) {
  std::string s;
  for (const auto n : numbers) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}

}  // namespace

Partition::Partition(std::vector<int> bricks, const gmg::Domain& domain,
                     const std::vector<LevelCells>& levels, std::int64_t ghosts, std::size_t most)
    : bricks_(std::move(bricks)) {
  const std::vector<std::int64_t>& cells = domain.cells();
  if (bricks_.size() != cells.size() ||
      std::any_of(bricks_.begin(), bricks_.end(), [](int n) { return n < 1; }))
    throw UserError("gmg::Plan: bricks are " + dotted(bricks_) + ", but the domain has " +
                    std::to_string(cells.size()) +
                    " axes; give one number, at least 1, for each axis, outermost first");
  for (std::size_t d = 0; d < cells.size(); ++d) periodic_.push_back(domain.is_periodic(d));
  std::int64_t step = 1;  // bricks and their ghost zones begin at a cell of colour 0, and of a coarse cell
  for (const LevelCells& l : levels) {
    step = std::lcm(step, std::max<std::int64_t>(l.modulus, 1));
    for (const int r : l.ratios) step = std::lcm(step, r);
  }
  ghosts_ = multiple(ghosts, step);
  for (std::size_t depth = std::min(most, levels.size() - 1); depth > 0; --depth)
    if (cut(levels, depth)) return;
  throw UserError(
      "gmg::Plan: " + dotted(cells) + " cells cannot be cut into " + dotted(bricks_) +
      " bricks: along each axis that is cut, a brick needs at least " + std::to_string(ghosts_) +
      " cells (what a leg reads of its neighbours), cells that are a multiple of the ratio, colours, and "
      "a coarser level; use fewer bricks, or fewer sweeps");
}

bool Partition::cut(const std::vector<LevelCells>& levels, std::size_t depth) {
  cuts_.assign(depth, {});
  for (std::size_t l = depth; l-- > 0;) {
    const LevelCells& level = levels[l];
    if (level.modulus == 0 || level.modulus != levels[0].modulus) return cuts_.clear(), false;
    for (std::size_t d = 0; d < bricks_.size(); ++d) {
      const std::int64_t n = level.cells[d], ratio = level.ratios[d];
      if (n % ratio != 0) return cuts_.clear(), false;
      std::vector<std::int64_t> at;
      if (l + 1 < depth) {
        for (const std::int64_t x : cuts_[l + 1][d]) at.push_back(x * ratio);
      } else {
        const std::int64_t unit = std::lcm(level.modulus, ratio);
        for (std::int64_t b = 0; b < bricks_[d]; ++b)
          at.push_back((b * n / bricks_[d] + unit / 2) / unit * unit);
        at.push_back(n);
      }
      for (std::size_t b = 0; bricks_[d] > 1 && b + 1 < at.size(); ++b)
        if (at[b + 1] - at[b] < ghosts_) return cuts_.clear(), false;
      cuts_[l].push_back(at);
    }
  }
  return true;
}

std::size_t Partition::count() const {
  std::size_t n = 1;
  for (const int b : bricks_) n *= static_cast<std::size_t>(b);
  return n;
}

std::size_t Partition::place(std::size_t brick, std::size_t dimension) const {
  for (std::size_t d = bricks_.size(); --d > dimension;) brick /= static_cast<std::size_t>(bricks_[d]);
  return brick % static_cast<std::size_t>(bricks_[dimension]);
}

Box Partition::own(std::size_t level, std::size_t brick) const {
  Box box;
  for (std::size_t d = 0; d < bricks_.size(); ++d) {
    const std::size_t b = place(brick, d);
    box.push_back({cuts_[level][d][b], cuts_[level][d][b + 1]});
  }
  return box;
}

Box Partition::around(std::size_t level, std::size_t brick) const {
  Box box = own(level, brick);
  for (std::size_t d = 0; d < bricks_.size(); ++d) {
    if (neighbour(brick, d, false)) box[d].begin -= ghosts_;
    if (neighbour(brick, d, true)) box[d].end += ghosts_;
  }
  return box;
}

std::optional<std::size_t> Partition::neighbour(std::size_t brick, std::size_t dimension, bool high) const {
  const auto n = static_cast<std::size_t>(bricks_[dimension]);
  const std::size_t b = place(brick, dimension), last = high ? n - 1 : 0;
  if (n == 1 || (b == last && !periodic_[dimension])) return std::nullopt;
  std::size_t stride = 1;
  for (std::size_t d = bricks_.size(); --d > dimension;) stride *= static_cast<std::size_t>(bricks_[d]);
  return brick + ((high ? b + 1 : b + n - 1) % n) * stride - b * stride;
}

}  // namespace lift::gmg
