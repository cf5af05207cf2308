#include "tuning/budget.hpp"

#include <algorithm>

#include "tuning/explore.hpp"

namespace lift {
namespace {

constexpr double kLastRoundShare = 0.3;  ///< of the budget at most
constexpr double kOverdrawn = 0.05;      ///< of the budget, for the last round where nothing is left
constexpr double kSettingUpShare = 0.4;  ///< after which other compilers' loops are not timed

}  // namespace

bool Budget::is_time_for_rivals() const { return fraction() < kSettingUpShare; }

double Budget::before_last_round(double estimated) const {
  return seconds_ - std::min(estimated, kLastRoundShare * seconds_);
}

double Budget::for_last_round() const { return std::max(left(), kOverdrawn * seconds_); }

double least_seconds(const ExploreResult& r, double times) {
  constexpr double kPlain = 2, kTwins = 2, kVariants = 3;  // in the last round, where time is short
  constexpr double kRuns = 9;  // of each: verified, timed, warmed up and the least rounds
  const double setup = r.spent.setup - r.spent.once;
  const double variant_ms = r.best ? r.variants[*r.best].ms : 0;
  const double plain_ms = r.baseline ? r.rivals[*r.baseline].ms : 0;
  const double round_ms =
      r.problem.sweeps * (kPlain * plain_ms + kVariants * variant_ms) + kTwins * r.twin_ms;
  return times * (setup + kRuns * round_ms / 1e3);
}

}  // namespace lift
