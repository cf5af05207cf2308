// What a work-group keeps in local memory: the tiles of windows that its cells read, or a few of their planes
// while it goes along a chunk.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Planes of a circular buffer: more than a window, as the next ones are written while this is read.
std::int64_t ring_planes(const WindowArray& w) { return w.size[0] + std::min(w.size[0], w.step[0]); }

/// Local memory of one array's tile, of `planes` planes where given.
std::optional<std::int64_t> tile_bytes(const NestFacts& f, const WindowArray& w,
                                       const std::vector<std::int64_t>& tile,
                                       std::optional<std::int64_t> planes) {
  std::int64_t n = static_cast<std::int64_t>(w.bytes);
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const std::int64_t length = planes && d == 0 ? *planes : (tile[d] - 1) * w.step[d] + w.size[d];
    if (length > (1 << 20)) return std::nullopt;
    n *= length;
    if (n > static_cast<std::int64_t>(f.options.local_bytes)) return std::nullopt;
  }
  return n;
}

/// Whether tiles of all arrays that are worth it fit into local memory.
bool fits(const NestFacts& f, const Configuration& c, bool planes) {
  const auto staged = staged_arrays(f, c);
  const auto tile = tile_sizes(f, c[key::tile]);
  std::int64_t all = 0;
  for (const WindowArray& w : staged) {
    const auto bytes = tile_bytes(f, w, tile, planes ? std::optional(ring_planes(w)) : std::nullopt);
    if (!bytes) return false;
    all += *bytes;
  }
  return !staged.empty() && all <= static_cast<std::int64_t>(f.options.local_bytes);
}

std::vector<Local> locals(const NestFacts& f) {
  if (!f.on_grid()) return {};
  if (f.windows.empty() || f.sweeps > 1) return {Local::none};
  if (f.inner_rank < 2) return {Local::none, Local::tile};
  return {Local::none, Local::tile, Local::planes};
}

bool admits_local(const NestFacts& f, const Configuration& c, const Local& local) {
  const bool groups = is_by_groups(c), columns = is_by_columns(f, c);
  const bool item_each = group_items(f, c[key::tile]) <= static_cast<std::int64_t>(f.options.max_work_group);
  if (local == Local::none) return !groups || columns || item_each;
  if (!groups || columns || is_split(c) || f.sweeps > 1) return false;
  return local == Local::planes ? planes_fit(f, c) : item_each && fits(f, c, false);
}

/// Before the loops are nested, below the tiles.
void take_local(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
  const Local local = c[key::local];
  if (local == Local::none) return;
  Place tiles = d.cells();
  while (!is_map(d.part(tiles).op())) tiles = content_of(tiles);  // below what puts the tiles together
  Arguments which;
  std::int64_t planes = 0;
  for (const WindowArray& w : staged_arrays(f, c))
    which.emplace_back(w.array), planes = std::max(planes, ring_planes(w));
  if (local == Local::planes) which.insert(which.begin(), planes);
  d.step(local == Local::planes ? "stage-planes" : "stage", which, tiles);
}

}  // namespace

bool planes_fit(const NestFacts& f, const Configuration& c) {
  return f.inner_rank >= 2 && f.sweeps == 1 && !is_split(c) && fits(f, c, true) &&
         plane_items(f, c[key::tile]) <= static_cast<std::int64_t>(f.options.max_work_group);
}

namespace decisions {

const Decision& local() {
  static const auto& d = *new Decision(decide(key::local)
                                           .offers(locals)
                                           .admitted(admits_local)
                                           .taken(take_local)
                                           .said([](const NestFacts&, const Configuration& c) -> std::string {
                                             const Local local = c[key::local];
                                             return local == Local::none   ? ""
                                                    : local == Local::tile ? "tiles in local memory"
                                                                           : "planes in local memory";
                                           }));
  return d;
}

}  // namespace decisions
}  // namespace lift
