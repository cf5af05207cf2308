// Cells whose reductions go together: accumulators in registers, or a part of a row of which each thread has
// its own.
#include <algorithm>

#include "rewrite/space/folds/folds.hpp"

namespace lift {
namespace {

constexpr std::int64_t kMostTogether = 8;  ///< cells, of which each has vectors of accumulators

std::vector<AxisSizes> tiles(const FoldFacts& f) {
  std::vector<std::int64_t> sizes{4, 2, 8, folds::part_of_row(f)};
  for (const std::int64_t n : {1, 2, 4, 8, 16}) sizes.push_back(n * f.lanes);
  for (const std::int64_t n : {256, 512, 1024}) sizes.push_back(n);
  std::vector<AxisSizes> r{{}};
  for (const std::int64_t n : sizes)
    if (f.outside && n > 1 && n < *f.axes.back().extent) add_new(r, AxisSizes{{{"i", n}}});
  return r;
}

bool admits_tile(const FoldFacts& f, const Configuration& c, const AxisSizes& tile) {
  if (folds::is_by_cells(c) || folds::part_of_elements(c) > 0) return tile.empty();
  if (tile.empty()) return true;
  const std::int64_t n = tile.list[0].size;
  return is_vector(c) ? n % f.lanes == 0 : n <= kMostTogether;
}

}  // namespace

std::int64_t folds::part_of_row(const FoldFacts& f) {
  constexpr std::int64_t most = 2048;
  const std::int64_t n = *f.axes.back().extent, threads = f.axes.size() > 1 ? 1 : f.options.threads,
                     parts = (std::max(n / most, std::int64_t{1}) + threads - 1) / threads * threads,
                     size = n / parts;
  if (n % parts == 0 && size % f.lanes == 0) return size;
  return std::max(size / (2 * f.lanes), std::int64_t{1}) * 2 * f.lanes;
}

namespace folds {

const FoldDecision& tile() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::tile)
                            .offers(tiles)
                            .admitted(admits_tile)
                            .said([](const FoldFacts&, const Configuration& c) -> std::string {
                              return c[key::tile].empty() ? "" : "tiles i";
                            })
                            .is_switch("block size", "no loop of a known length can be cut into blocks"));
  return d;
}

}  // namespace folds
}  // namespace lift
