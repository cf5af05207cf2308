// How far ahead the inner loop asks for data: elements of a row, 16 and more; or a few iterations of a
// work-item's sequential loop, a few levels of a column.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<std::int64_t> distances(const NestFacts& f) {
  if (f.inside == Inside::scans) return {0, 1, 2, 4, 16, 64};
  std::vector<std::int64_t> r{0};
  if (f.on_grid()) r.insert(r.end(), {1, 2, 4});
  if (f.on_processors()) r.insert(r.end(), {16, 64, 128});
  return r;
}

bool admits_prefetch(const NestFacts& f, const Configuration& c, const std::int64_t& ahead) {
  if (ahead == 0) return true;
  if (f.inside == Inside::scans) return is_by_levels(c) ? ahead <= 4 : ahead >= 16 && points(f, c) > ahead;
  if (is_vector(c)) return ahead >= 16;
  if (!inner_is_loop(f, c) || (ahead >= 16 && is_by_columns(f, c))) return false;
  return inner_trips(f, c, 1000) > ahead * (c[key::inner] == Inner::strided ? inner_stride(f) : 1);
}

}  // namespace

namespace decisions {

const Decision& prefetch() {
  static const auto& d = *new Decision(decide(key::prefetch)
                                           .offers(distances)
                                           .admitted(admits_prefetch)
                                           .taken_by("prefetch")
                                           .said("prefetch")
                                           .is_switch("prefetching", "there is no loop to look ahead in"));
  return d;
}

}  // namespace decisions
}  // namespace lift
