// Times of repeated runs: by the steady clock, or by that of the device that runs them.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace lift {

/// Of one run, in milliseconds.
struct Timing {
  double median_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  int runs = 0;          ///< samples taken
  bool aborted = false;  ///< ended early: hopeless, or interrupted
};

struct MeasureOptions {
  int warmup = 1;  ///< runs before the clock counts
  int min_runs = 3;
  int max_runs = 9;
  double max_seconds = 0.5;  ///< no further sample after this, once there are min_runs
  /// Stop as soon as the best of two samples exceeds this, or the first exceeds it by half.
  double abort_above_ms = std::numeric_limits<double>::infinity();
  /// Called before every sample, outside its time: to restore the data, say. A sample of a run below 1 ms is
  /// the mean of several calls, so that it lasts 2 ms; `between` is not called among those.
  std::function<void()> between = {};
  /// Two samples are enough where the best of them exceeds this: their median is the mean.
  double brief_above_ms = std::numeric_limits<double>::infinity();
};

/// Something to call and to time: a function of nothing, which is timed by the steady clock, or one of a
/// number of runs that returns the milliseconds they took together (by a device's clock, which does not count
/// what the host does around them).
class TimedRun {
 public:
  TimedRun() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, TimedRun> &&
           (std::is_invocable_v<F&> || std::is_invocable_r_v<double, F&, int>))
      TimedRun(F run) {  // NOLINT: written as it is
    if constexpr (std::is_invocable_v<F&>)
      plain_ = std::move(run);
    else
      clocked_ = std::move(run);
  }
  explicit operator bool() const { return plain_ || clocked_; }
  /// Runs it so many times in a row; ms of one, the mean.
  double operator()(int times = 1) const;

 private:
  std::function<void()> plain_;
  std::function<double(int)> clocked_;
};

Timing measure(const TimedRun& run, const MeasureOptions& options = {});

/// Measures side by side, for ratios: one warm-up of each, then `rounds` times A B C, A B C, so that whatever
/// disturbs the machine meets all alike. One Timing for each, in order. Stops between rounds when interrupted
/// (after the first).
struct InterleavedOptions {
  int rounds = 11;
  int least_rounds = 3;
  double seconds =
      std::numeric_limits<double>::infinity();  ///< no further round after these, from the least on
  /// What takes more than so many times as long as the fastest takes part in every third round only: its
  /// ratio needs no precision, and the time is the others'.
  double far = std::numeric_limits<double>::infinity();
};
std::vector<Timing> interleaved(std::span<const TimedRun> runs, const InterleavedOptions& options);

/// The middle value (the mean of the middle two); NaN when there is none.
double median(std::vector<double> values);

}  // namespace lift
