// Elements a trip of a scalar inner loop; of cells that reduce, elements that accumulators in memory are
// loaded and stored once for.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<std::int64_t> unrollings(const NestFacts& f) {
  if (f.inside != Inside::folds) return {1, 2, 4};
  std::vector<std::int64_t> r{1};
  for (const std::int64_t n : {2, 4, 8})
    if (f.folds.outside && !f.folds.joined && 4 * n <= f.folds.elements) r.push_back(n);
  return r;
}

bool admits_unroll(const NestFacts& f, const Configuration& c, const std::int64_t& n) {
  if (n == 1) return true;
  if (f.inside == Inside::scans) return is_by_levels(c);
  if (f.inside == Inside::folds) {
    const std::int64_t part = part_of_elements(c);
    return 4 * n <= (part > 0 ? part : f.folds.elements) && !is_by_levels(c) && c[key::lanes] == 1;
  }
  const Inner inner = c[key::inner];
  return (inner == Inner::seq || (inner == Inner::strided && f.on_grid())) && inner_is_loop(f, c) &&
         inner_trips(f, c, 1 << 30) >= n;
}

}  // namespace

namespace decisions {

const Decision& unroll() {
  static const auto& d =
      *new Decision(decide(key::unroll)
                        .offers(unrollings)
                        .admitted(admits_unroll)
                        .taken_by("unroll")
                        .said("unrolled")
                        .is_switch("unrolling", "no loop is left to a thread or work-item"));
  return d;
}

}  // namespace decisions
}  // namespace lift
