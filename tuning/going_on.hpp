// What one exploration hands to the next: of another depth, or of the same problem with more time.
#pragma once

#include <vector>

#include "tuning/explore.hpp"

namespace lift {

constexpr std::size_t kGoOnWith = 4;  ///< configurations, for ExploreOptions::first

/// Those of the fastest verified variants, fastest first; fewer than `most` where there are no more.
std::vector<Configuration> fastest_configurations(const ExploreResult& result, std::size_t most);

}  // namespace lift
