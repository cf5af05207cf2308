// Tiles of cells: blocks for a thread, work-groups on a grid.
#include <algorithm>

#include "rewrite/space/nest/decisions.hpp"

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

bool admits_tile(const NestFacts& f, Configuration c, const AxisSizes& tile) {
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
  if (!f.on_processors()) return allowed.front();
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (f.axes[a].extent != 1) return allowed.front();
  const std::int64_t extent = f.axes.back().extent.value_or(0), threads = f.options.threads;
  constexpr std::int64_t uneven = 50;               // a thread may have so much more than its share: 1 / 50
  for (std::size_t t = allowed.size(); t-- > 1;) {  // the longest first
    const std::int64_t size = tile_sizes(f, std::get<AxisSizes>(allowed[t])).back(),
                       tiles = size > 0 ? (extent + size - 1) / size : 0,
                       most = (tiles + threads - 1) / threads * threads;
    if (size * 8 * threads <= extent && (most - tiles) * uneven <= tiles) return allowed[t];
  }
  return allowed.size() > 1 ? allowed[1] : allowed.front();
}

std::string tile_words(const NestFacts& f, const Configuration& c) {
  const AxisSizes& tile = c[key::tile];
  if (tile.empty()) return "";
  if (is_chunk(f, tile)) return "chunks";
  std::string axes;
  for (const AxisSize& s : tile.list) axes += " " + s.axis;
  return "tiles" + axes;
}

}  // namespace

std::vector<AxisSizes> tiles(const NestFacts& f) {
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

void nest::shape_tiles(LoopNest& loops, const Configuration& c) { loops.cut(c[key::tile]); }

namespace nest {

const NestDecision& tile() {
  static const auto& d =
      *new NestDecision(decide<NestFacts>(key::tile)
                            .offers(tiles)
                            .admitted(admits_tile)
                            .suited(tile_for_threads)
                            .taken([](NestDeriver& deriver, const NestFacts&, const Configuration& c,
                                      const Place&) { shape_tiles(deriver, c); })
                            .said(tile_words)
                            .is_switch("block size", "no loop of a known length can be cut into blocks"));
  return d;
}

}  // namespace nest
}  // namespace lift
