// Wall time that an exploration may take: what has passed of it, when the search has to end so that the last
// round can be measured, and what an exploration takes at the least.
#pragma once

#include <chrono>
#include <limits>

namespace lift {

struct ExploreResult;

class Budget {
 public:
  /// Begins now.
  explicit Budget(double seconds) : seconds_(seconds) {}

  double seconds() const { return seconds_; }
  double spent() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  double left() const { return seconds_ - spent(); }
  double fraction() const { return spent() / seconds_; }

  /// Whether what only stands beside the plain loops may still be timed.
  bool is_time_for_rivals() const;
  /// When a last round has to begin that is expected to take `estimated` seconds.
  double before_last_round(double estimated) const;
  /// What the last round may take, now: some time even where none is left, since ratios come from it.
  double for_last_round() const;

  /// The search ends at that time; until it is said, never.
  void end_search_at(double time) { end_ = time; }
  double end_of_search() const { return end_; }
  bool is_search_over() const { return spent() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_, end_ = std::numeric_limits<double>::infinity();
  Clock::time_point began_ = Clock::now();
};

/// What exploring takes at the least, to the end of the last round, for a problem `times` as large as that of
/// `r`: its arrays are set up, plain loops, traffic twins and a first kernel verified and timed, all as long
/// as that took for `r`. Does not count what is compiled.
double least_seconds(const ExploreResult& r, double times);

}  // namespace lift
