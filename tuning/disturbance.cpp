#include "tuning/disturbance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace lift {
namespace {

constexpr double kShortMs = 0.02;  ///< less is the clock's and the launch's
constexpr double kSteady = 1.5;    ///< the median, times the least
constexpr double kOurs = 1;        ///< of the load, beside as many threads as there are processors

}  // namespace

bool are_times_trusted() {
  const char* value = std::getenv("LIFTGEN_TRUST_TIMES");
  return value != nullptr && std::string_view(value) == "1";
}

std::string load_beside() {
  double load = 0;
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (::getloadavg(&load, 1) != 1 || load <= static_cast<double>(processors) + kOurs) return "";
  return fmt::format("the machine's load is {:.1f}, of {} processors", load, processors);
}

std::string unsteady(std::span<const Timing> timings) {
  const Timing* worst = nullptr;
  const auto spread = [](const Timing& t) { return t.median_ms / std::max(t.min_ms, 1e-9); };
  for (const Timing& t : timings)
    if (t.runs > 2 && t.median_ms > kShortMs && spread(t) > kSteady && (!worst || spread(t) > spread(*worst)))
      worst = &t;
  return worst ? fmt::format("one kernel took from {:.3g} to {:.3g} ms", worst->min_ms, worst->max_ms) : "";
}

bool is_possible(double roofline, int sweeps) {
  constexpr double kMost = 3;  // caches
  return roofline <= kMost * sweeps;
}

}  // namespace lift
