// A search over a recorded space, without measuring: what it would have found, and when.
#pragma once

#include "tuning/search/recording.hpp"

namespace lift {

struct ReplayOptions {
  std::string search;
  std::uint64_t seed = 1;
  std::size_t batch = 6;       ///< configurations that are proposed before the first of them is learnt
  std::size_t most = 1000;     ///< measurements
  double until = 0;            ///< ends when the best is within this factor of the best known
  bool first_guesses = false;  ///< begins with those of the exploration
};

/// The fastest time after each measurement, over the fastest there is in the recording: 1 is the best known;
/// infinite before anything was timed. Configurations of one kernel are one measurement, as in an
/// exploration.
std::vector<double> replay(const Recording& recording, const RecordedSpace& space,
                           const ReplayOptions& options);

/// The least relative time. UserError: none is.
double best_known(const Recording& recording);

/// Measurements until the best is within `factor` of the best known; `never` when that does not happen.
std::size_t measurements_until(const std::vector<double>& best, double factor, std::size_t never);

}  // namespace lift
