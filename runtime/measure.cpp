#include "runtime/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "runtime/interrupt.hpp"

namespace lift {
namespace {

constexpr double kShortMs = 1;
constexpr double kSampleMs = 2;
constexpr double kMaybeShortMs = 5;  ///< a first call includes starting threads and touching pages
constexpr int kMaxBatch = 100000;
/// The threads of a run time (OpenMP's, that is) spin for a while after their loop, on the processors that
/// the next run needs.
constexpr auto kThreadsRest = std::chrono::milliseconds(4);

/// How many calls make a sample, given the time of an early one.
int batch_for(const TimedRun& run, double one_ms) {
  int calls = 1;
  double ms = one_ms < kMaybeShortMs ? std::min(one_ms, run()) : one_ms;
  while (ms < kShortMs && calls * ms < kSampleMs && calls < kMaxBatch) {
    const double wanted = kSampleMs / std::max(ms, 1e-6);
    calls = static_cast<int>(
        std::clamp(std::ceil(wanted), calls + 1.0, std::min(calls * 16.0, double{kMaxBatch})));
    if (calls * ms >= kSampleMs) break;
    ms = run(calls);
  }
  return calls;
}

Timing summary(const std::vector<double>& samples, bool aborted) {
  Timing timing;
  timing.aborted = aborted;
  timing.runs = static_cast<int>(samples.size());
  if (samples.empty()) return timing;
  timing.median_ms = median(samples);
  timing.min_ms = *std::min_element(samples.begin(), samples.end());
  timing.max_ms = *std::max_element(samples.begin(), samples.end());
  return timing;
}

}  // namespace

double TimedRun::operator()(int times) const {
  if (clocked_) return clocked_(times) / times;
  const auto begin = std::chrono::steady_clock::now();
  for (int time = 0; time < times; ++time) plain_();
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / times;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Timing measure(const TimedRun& run, const MeasureOptions& options) {
  const auto prepare = [&] {
    if (options.between) options.between();
  };
  double one_ms = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.warmup; ++i) {
    prepare();
    one_ms = std::min(one_ms, run());
  }
  if (options.warmup <= 0) one_ms = kMaybeShortMs;  // no idea, and no leave to try
  if (one_ms < kMaybeShortMs) prepare();
  const int calls = batch_for(run, one_ms);
  std::vector<double> samples;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < std::max(options.max_runs, 1); ++i) {
    if (i >= options.min_runs && elapsed() > options.max_seconds) break;
    if (i > 0 && interrupted()) return summary(samples, true);
    prepare();
    samples.push_back(run(calls));
    best = std::min(best, samples.back());
    const double hopeless = options.abort_above_ms * (i == 0 ? 1.5 : 1.0);
    if (best > hopeless) return summary(samples, true);
    if (i > 0 && best > options.brief_above_ms) break;
  }
  return summary(samples, false);
}

std::vector<Timing> interleaved(std::span<const TimedRun> runs, const InterleavedOptions& options) {
  constexpr int kEvery = 3;  // rounds, of what is far behind
  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  std::vector<int> calls;
  std::vector<double> first_ms;
  for (const auto& run : runs) {
    first_ms.push_back(run());
    calls.push_back(batch_for(run, first_ms.back()));
  }
  const double fastest = runs.empty() ? 0 : *std::min_element(first_ms.begin(), first_ms.end());
  std::vector<std::vector<double>> samples(runs.size());
  bool aborted = false;
  const int rounds = std::max(options.rounds, 1);
  for (int round = 0; round < rounds && !aborted; ++round) {
    if (round >= options.least_rounds && elapsed() > options.seconds) break;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (round % kEvery != 0 && first_ms[i] > options.far * fastest) continue;
      std::this_thread::sleep_for(kThreadsRest);
      if (calls[i] > 1) runs[i]();  // short ones would pay for what the one before left behind
      samples[i].push_back(runs[i](calls[i]));
    }
    aborted = interrupted() && round + 1 < rounds;
  }
  std::vector<Timing> timings;
  for (const auto& mine : samples) timings.push_back(summary(mine, aborted));
  return timings;
}

}  // namespace lift
