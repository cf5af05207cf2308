// Accumulators of a reduction side by side: they fill vectors of a processor; those of a work-item hide
// latencies and take registers.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<std::int64_t> accumulators(const NestFacts& f) {
  const bool folds = f.inside == Inside::folds;
  if (!folds && f.reduction.places.empty()) return {};
  std::vector<std::int64_t> r{1};
  if (f.lanes == 1 || (folds && !(f.folds.along && f.folds.any_order))) return r;
  const std::int64_t least = f.on_processors() ? f.lanes : 2;
  for (std::int64_t n = 1; n <= (folds ? 8 : 4); n *= 2)
    if (n * least <= 64) r.push_back(n * least);
  return r;
}

bool admits_lanes(const NestFacts& f, const Configuration& c, const std::int64_t& lanes) {
  if (f.inside == Inside::folds) {
    if (lanes == 1) return true;
    if (is_by_levels(c)) return lanes <= f.folds.elements;
    // What the lanes make is not worth a loop, and all accumulators are in registers.
    return !is_vector(c) && !f.folds.joined && f.folds.numbers &&
           lanes <= std::min(kFewScalars, f.folds.elements);
  }
  const AxisSizes& parts = c[key::parts];
  if (const std::int64_t items = c[key::group]; items > 0) return lanes * items <= part_length(f, parts);
  return lanes <= chunk_of(parts).value_or(*f.reduction.over.back().extent);
}

}  // namespace

namespace decisions {

const Decision& lanes() {
  static const auto& d =
      *new Decision(decide(key::lanes).offers(accumulators).admitted(admits_lanes).said("lanes"));
  return d;
}

}  // namespace decisions
}  // namespace lift
