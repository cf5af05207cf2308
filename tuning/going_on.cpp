#include "tuning/going_on.hpp"

namespace lift {

std::vector<Configuration> fastest_configurations(const ExploreResult& result, std::size_t most) {
  std::vector<Configuration> r;
  for (const Variant& v : result.variants)
    if (v.status == Status::ok && v.verified && r.size() < most) r.push_back(v.params);
  return r;
}

}  // namespace lift
