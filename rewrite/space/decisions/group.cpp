// Work-items that share a part of a reduction; none: each part is one item's.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<std::int64_t> group_sizes(const NestFacts& f) {
  if (f.reduction.places.empty()) return {};
  if (!f.on_grid() || f.options.cpu || !can_be_joined(f, f.reduction.nested)) return {0};
  return {0, 256, 128, 512, 64};
}

bool admits_group(const NestFacts& f, const Configuration& c, const std::int64_t& items) {
  if (items == 0) return true;
  const AxisSizes& parts = c[key::parts];
  const std::int64_t length = part_length(f, parts);
  const bool too_long = parts.empty() && length > kFewForGroups;
  return !too_long && items <= static_cast<std::int64_t>(f.options.max_work_group) && length >= 2 * items;
}

}  // namespace

namespace decisions {

const Decision& group() {
  static const auto& d = *new Decision(
      decide(key::group).offers(group_sizes).admitted(admits_group).said("by groups in local memory"));
  return d;
}

}  // namespace decisions
}  // namespace lift
