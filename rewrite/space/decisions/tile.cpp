// Tiles: blocks of cells for a thread, work-groups on a grid; points of scans, of each level of which a
// thread goes through one, or which are a work-group's columns; cells whose reductions go together.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Shapes of work-groups, in cells; k chunks are too long for a group: they are gone along.
std::vector<AxisSizes> group_shapes() {
  return {"j4 i32"_sizes,     "j8 i32"_sizes,     "j4 i64"_sizes,     "j8 i16"_sizes,    "j2 i64"_sizes,
          "j2 i128"_sizes,    "i64"_sizes,        "i128"_sizes,       "i256"_sizes,      "k4 j4 i16"_sizes,
          "k2 j4 i32"_sizes,  "k4 j4 i32"_sizes,  "k4 j8 i32"_sizes,  "j16 i32"_sizes,   "k16 j8 i32"_sizes,
          "k32 j8 i32"_sizes, "k64 j8 i32"_sizes, "k32 j4 i64"_sizes, "k64 j4 i64"_sizes};
}
std::vector<AxisSizes> thread_shapes() {
  return {"j8"_sizes,     "j16"_sizes,    "j32"_sizes,      "k8 j8"_sizes,
          "k8 j16"_sizes, "k4 j16"_sizes, "j16 i256"_sizes, "i256"_sizes};
}

/// Whether every size is along an axis that can be cut, and less than its extent, in all sweeps.
bool cuts_all(const NestFacts& f, const AxisSizes& tile) {
  const auto cuts = [&](const std::vector<Axis>& axes, const AxisSize& s) {
    return std::any_of(axes.begin() + static_cast<std::ptrdiff_t>(f.first_inner()), axes.end(),
                       [&](const Axis& a) { return a.name == s.axis && a.extent.value_or(0) > s.size; });
  };
  return std::all_of(tile.list.begin(), tile.list.end(), [&](const AxisSize& s) {
    return cuts(f.axes, s) &&
           std::all_of(f.each.begin(), f.each.end(), [&](const auto& sweep) { return cuts(sweep.axes, s); });
  });
}

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

constexpr std::int64_t kMostTogether = 8;  ///< cells that reduce, of which each has vectors of accumulators

/// Of scans: points. Of folds: accumulators in registers, or a part of a row of which each thread has its
/// own.
std::vector<AxisSizes> tiles_of_points(const NestFacts& f) {
  std::vector<AxisSizes> r{{}};
  if (f.inside == Inside::scans) {
    for (const std::int64_t most : {4, 8, 16, 32, 64, 128, 256})
      if (most < 256 || f.on_grid()) add_new(r, tile_of_points(f, most));
    return r;
  }
  std::vector<std::int64_t> sizes{4, 2, 8, part_of_row(f)};
  for (const std::int64_t n : {1, 2, 4, 8, 16}) sizes.push_back(n * f.lanes);
  for (const std::int64_t n : {256, 512, 1024}) sizes.push_back(n);
  for (const std::int64_t n : sizes)
    if (f.folds.outside && n > 1 && n < *f.axes.back().extent) add_new(r, AxisSizes{{{"i", n}}});
  return r;
}

bool admits_tile_of_points(const NestFacts& f, const Configuration& c, const AxisSizes& tile) {
  if (f.inside == Inside::folds && (is_by_levels(c) || part_of_elements(c) > 0)) return tile.empty();
  if (tile.empty()) return true;
  const std::int64_t n = tile.list[0].size;
  if (f.inside == Inside::folds) return is_vector(c) ? n % f.lanes == 0 : n <= kMostTogether;
  return !f.on_grid() || !is_by_levels(c) || n <= static_cast<std::int64_t>(f.options.max_work_group);
}

bool admits_tile(const NestFacts& f, Configuration c, const AxisSizes& tile) {
  if (f.has_levels()) return admits_tile_of_points(f, c, tile);
  if (c[key::buffer]) return tile.empty();
  if (tile.empty() || !f.on_grid()) return true;
  if (!is_fused(c)) return false;
  if (is_chunk(f, tile))
    return !is_split(c) && !is_by_rows(c) && f.sweeps == 1 && f.inner_rank <= 3 &&
           (!f.update || is_in_place(f, c));
  if (is_split(c) && tile_sizes(f, tile).back() != f.axes.back().extent) return false;
  if (!f.on_processors() && f.update && !is_in_place(f, c)) return false;
  c.set(key::tile, tile);
  const std::vector<Loops> all = orders(f);
  return std::any_of(all.begin(), all.end(), [&](const Loops& order) { return admits_order(f, c, order); });
}

/// One loop alone cannot be both parallel and innermost: it is tiled then, with enough tiles for the threads
/// to balance.
Setting tile_for_threads(const NestFacts& f, const Configuration&, const Settings& allowed) {
  if (!f.on_processors() || f.inside == Inside::folds) return allowed.front();
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (f.axes[a].extent != 1) return allowed.front();
  const std::int64_t extent = f.axes.back().extent.value_or(0), threads = f.options.threads;
  constexpr std::int64_t uneven = 50;  // cells' threads may have so much more than their share: 1 / 50
  for (std::size_t t = allowed.size(); t-- > 1;) {  // the longest first
    const AxisSizes& tile = std::get<AxisSizes>(allowed[t]);
    const std::int64_t size = f.has_levels() ? tile.list[0].size : tile_sizes(f, tile).back(),
                       tiles = size > 0 ? (extent + size - 1) / size : 0,
                       most = (tiles + threads - 1) / threads * threads;
    if (size * 8 * threads <= extent && (f.has_levels() || (most - tiles) * uneven <= tiles))
      return allowed[t];
  }
  return allowed.size() > 1 ? allowed[1] : allowed.front();
}

std::string tile_words(const NestFacts& f, const Configuration& c) {
  const AxisSizes& tile = c[key::tile];
  if (tile.empty()) return "";
  if (!f.has_levels() && is_chunk(f, tile)) return "chunks";
  std::string axes;
  for (const AxisSize& s : tile.list) axes += " " + s.axis;
  return "tiles" + axes;
}

}  // namespace

AxisSizes tile_of_points(const NestFacts& f, std::int64_t about) {
  const std::int64_t n = f.axes.back().extent.value_or(1), k = near(about, n, f.lanes, !f.on_grid());
  return n > k && k >= kFewest ? AxisSizes{{{"i", k}}} : AxisSizes{};
}

std::int64_t points(const NestFacts& f, const Configuration& c) {
  const AxisSizes& tile = c[key::tile];
  return tile.empty() ? f.axes.back().extent.value_or(1 << 20) : tile.list[0].size;
}

std::int64_t part_of_row(const NestFacts& f) {
  constexpr std::int64_t most = 2048;
  const std::int64_t n = *f.axes.back().extent, threads = f.axes.size() > 1 ? 1 : f.options.threads,
                     parts = (std::max(n / most, std::int64_t{1}) + threads - 1) / threads * threads,
                     size = n / parts;
  if (n % parts == 0 && size % f.lanes == 0) return size;
  return std::max(size / (2 * f.lanes), std::int64_t{1}) * 2 * f.lanes;
}

std::vector<AxisSizes> tiles(const NestFacts& f) {
  if (f.has_levels()) return tiles_of_points(f);
  std::vector<AxisSizes> all{{}};
  const auto offer = [&](const std::vector<AxisSizes>& some) {
    for (const AxisSizes& tile : some)
      if (cuts_all(f, tile)) all.push_back(tile);
  };
  for (std::size_t a = f.first_inner(); a < f.axes.size(); ++a)
    if (!f.axes[a].extent) return all;  // a remainder of unknown length is not offered
  if (f.inner_rank == 1) {
    offer({"i64"_sizes, "i256"_sizes, "i1024"_sizes, "i4096"_sizes, "i16384"_sizes, "i65536"_sizes});
    return all;
  }
  if (f.on_grid()) {
    offer(group_shapes());
    const std::string& outer = f.outer_inner().name;  // chunks of columns
    offer({{{{outer, 16}}}, {{{outer, 32}}}, {{{outer, 64}}}});
  }
  if (f.on_processors()) offer(thread_shapes());
  return all;
}

std::vector<std::int64_t> tile_sizes(const NestFacts& f, const AxisSizes& tile) {
  std::vector<std::int64_t> sizes;
  if (tile.empty()) return sizes;
  for (std::size_t a = f.first_inner(); a < f.axes.size(); ++a) {
    sizes.push_back(f.axes[a].extent.value_or(0));
    for (const AxisSize& s : tile.list)
      if (s.axis == f.axes[a].name) sizes.back() = s.size;
  }
  return sizes;
}

bool is_chunk(const NestFacts& f, const AxisSizes& tile) {
  return f.inner_rank >= 2 && tile.list.size() == 1 && tile.list[0].axis == f.outer_inner().name;
}

std::int64_t group_items(const NestFacts& f, const AxisSizes& tile) {
  std::int64_t n = 1;
  const auto sizes = tile_sizes(f, tile);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] < f.axes[f.first_inner() + d].extent.value_or(0)) n *= sizes[d];
  return n;
}
std::int64_t plane_items(const NestFacts& f, const AxisSizes& tile) {
  const auto sizes = tile_sizes(f, tile);
  const bool cut = !sizes.empty() && sizes[0] < f.outer_inner().extent.value_or(0);
  return cut ? group_items(f, tile) / sizes[0] : group_items(f, tile);
}

bool is_group(const NestFacts& f, const Configuration& c) {
  return group_items(f, c[key::tile]) <= static_cast<std::int64_t>(f.options.max_work_group) ||
         planes_fit(f, c);
}

void decisions::shape_tiles(LoopNest& loops, const Configuration& c) { loops.cut(c[key::tile]); }

namespace decisions {

const Decision& tile() {
  static const auto& d =
      *new Decision(decide(key::tile)
                        .offers(tiles)
                        .admitted(admits_tile)
                        .suited(tile_for_threads)
                        .taken([](NestDeriver& deriver, const NestFacts&, const Configuration& c,
                                  const Place&) { shape_tiles(deriver, c); })
                        .said(tile_words)
                        .is_switch("block size", "no loop of a known length can be cut into blocks"));
  return d;
}

}  // namespace decisions
}  // namespace lift
