// Accumulators side by side: they fill vectors of a processor; those of a work-item hide latencies and take
// registers.
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

std::vector<std::int64_t> accumulators(const ReductionFacts& f) {
  if (f.places.empty()) return {};
  std::vector<std::int64_t> r{1};
  const std::int64_t least = f.on_processors() ? f.lanes : 2;
  for (const std::int64_t w : {least, 2 * least, 4 * least})
    if (f.lanes > 1 && w <= 64) r.push_back(w);
  return r;
}

bool admits_lanes(const ReductionFacts& f, const Configuration& c, const std::int64_t& lanes) {
  const AxisSizes& parts = c[key::parts];
  if (const std::int64_t items = c[key::group]; items > 0) return lanes * items <= part_length(f, parts);
  return lanes <= chunk_of(parts).value_or(*f.over.back().extent);
}

}  // namespace

namespace reduction {

const ReductionDecision& lanes() {
  static const auto& d = *new ReductionDecision(
      decide<ReductionFacts>(key::lanes).offers(accumulators).admitted(admits_lanes).said("lanes"));
  return d;
}

}  // namespace reduction
}  // namespace lift
