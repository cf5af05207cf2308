// Work-items that share a part of a reduction; none: each part is one item's.
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

std::vector<std::int64_t> sizes(const ReductionFacts& f) {
  if (f.places.empty()) return {};
  if (!f.on_grid() || f.options.cpu) return {0};
  return {0, 256, 128, 512, 64};
}

bool admits_group(const ReductionFacts& f, const Configuration& c, const std::int64_t& items) {
  if (items == 0) return true;
  const AxisSizes& parts = c[key::parts];
  const std::int64_t length = part_length(f, parts);
  const bool too_long = parts.empty() && length > kFewForGroups;
  return !too_long && items <= static_cast<std::int64_t>(f.options.max_work_group) && length >= 2 * items;
}

}  // namespace

namespace reduction {

const ReductionDecision& group() {
  static const auto& d = *new ReductionDecision(decide<ReductionFacts>(key::group)
                                                    .offers(sizes)
                                                    .admitted(admits_group)
                                                    .said("by groups in local memory"));
  return d;
}

}  // namespace reduction
}  // namespace lift
