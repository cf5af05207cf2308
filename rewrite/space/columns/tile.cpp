// Tiles of points: a thread or work-item goes through one of each level, or a work-group has one of columns.
#include <algorithm>

#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace {

constexpr std::int64_t kFewest = 3;  ///< points of a tile

/// About so many points, which divide all of them: whole vectors where there are such; where none do, whole
/// vectors with points that are left over, but on a grid. 0: there are none.
std::int64_t near(std::int64_t about, std::int64_t points, std::int64_t lanes, bool rest) {
  for (const std::int64_t whole : {std::min(lanes, about), std::int64_t{1}})
    for (std::int64_t off = 0; off <= about / 2; ++off)
      for (const std::int64_t k : {about - off, about + off})
        if (k >= kFewest && k % whole == 0 && points % k == 0) return k;
  return rest && points >= 4 * about ? about : 0;
}

std::vector<AxisSizes> tiles(const ColumnFacts& f) {
  std::vector<AxisSizes> all{{}};
  for (const std::int64_t most : {4, 8, 16, 32, 64, 128, 256})
    if (most < 256 || f.on_grid()) add_new(all, columns::tile_of(f, most));
  return all;
}

bool admits_tile(const ColumnFacts& f, const Configuration& c, const AxisSizes& tile) {
  return tile.empty() || !f.on_grid() || !columns::is_by_columns(c) ||
         tile.list[0].size <= static_cast<std::int64_t>(f.options.max_work_group);
}

/// One loop alone is shared in tiles, with enough of them for the threads to balance.
Setting tile_for_threads(const ColumnFacts& f, const Configuration&, const Settings& allowed) {
  if (!f.on_processors()) return allowed.front();
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (f.axes[a].extent != 1) return allowed.front();
  for (std::size_t t = allowed.size(); t-- > 1;)  // the longest first
    if (std::get<AxisSizes>(allowed[t]).list[0].size * 8 * f.options.threads <=
        f.axes.back().extent.value_or(0))
      return allowed[t];
  return allowed.size() > 1 ? allowed[1] : allowed.front();
}

}  // namespace

AxisSizes columns::tile_of(const ColumnFacts& f, std::int64_t about) {
  const std::int64_t n = f.axes.back().extent.value_or(1), k = near(about, n, f.lanes, !f.on_grid());
  return n > k && k >= kFewest ? AxisSizes{{{"i", k}}} : AxisSizes{};
}

std::int64_t columns::points(const ColumnFacts& f, const Configuration& c) {
  const AxisSizes& tile = c[key::tile];
  return tile.empty() ? f.axes.back().extent.value_or(1 << 20) : tile.list[0].size;
}

namespace columns {

const ColumnDecision& tile() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::tile)
          .offers(tiles)
          .admitted(admits_tile)
          .suited(tile_for_threads)
          .taken([](Deriver& deriver, const ColumnFacts&, const Configuration& c, const Place& loop) {
            if (!c[key::tile].empty()) deriver.step("split-join", {c[key::tile].list[0].size}, loop);
          })
          .said([](const ColumnFacts&, const Configuration& c) -> std::string {
            return c[key::tile].empty() ? "" : "tiles i";
          })
          .is_switch("block size", "no loop of a known length can be cut into blocks"));
  return d;
}

}  // namespace columns
}  // namespace lift
