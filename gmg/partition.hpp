// A domain in bricks: which cells each brick owns on each level, and which lie around them in its arrays.
//
// A face of a brick is a boundary of the domain, where conditions hold as they do for one brick, or a seam:
// there its arrays go on for as many cells as a leg needs, a ghost zone that the neighbour owns. Bricks are
// cut on the coarsest of their levels, and finer ones after that, so that coarse cells never cross a seam.
#pragma once

#include <optional>

#include "gmg/transfer.hpp"

namespace lift::gmg {

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};
/// By dimension.
using Box = std::vector<Range>;

/// A level, as bricks see it.
struct LevelCells {
  std::vector<std::int64_t> cells;
  Ratios ratios;             ///< to the next level
  std::int64_t modulus = 0;  ///< of its colours; 0: it has none, and is no level of bricks
};

class Partition {
 public:
  /// So many bricks along each dimension, on as many levels, at most `most`, from the finest on as can be
  /// cut: without the last one, whose cells are on one brick. `ghosts`: cells that a leg reads beyond what it
  /// computes. UserError: no level can be cut.
  Partition(std::vector<int> bricks, const gmg::Domain& domain, const std::vector<LevelCells>& levels,
            std::int64_t ghosts, std::size_t most);

  std::size_t depth() const { return cuts_.size(); }
  std::size_t count() const;
  const std::vector<int>& bricks() const { return bricks_; }
  std::int64_t ghosts() const { return ghosts_; }
  Box own(std::size_t level, std::size_t brick) const;
  /// With ghost zones: begins below 0, or ends above the cells, beyond a periodic face.
  Box around(std::size_t level, std::size_t brick) const;
  /// The brick on the other side of a seam; none: there is a boundary.
  std::optional<std::size_t> neighbour(std::size_t brick, std::size_t dimension, bool high) const;

 private:
  bool cut(const std::vector<LevelCells>& levels, std::size_t depth);
  std::size_t place(std::size_t brick, std::size_t dimension) const;

  std::vector<int> bricks_;
  std::vector<bool> periodic_;
  std::int64_t ghosts_;
  std::vector<std::vector<std::vector<std::int64_t>>> cuts_;  ///< by level, dimension: brick b begins at [b]
};

}  // namespace lift::gmg
