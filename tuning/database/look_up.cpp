#include "tuning/database/look_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <range/v3/view/zip.hpp>
#include <tuple>

namespace lift {
namespace {

/// Factors between sizes, as sums of logarithms: 64 is as far from 32 as from 128.
double distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a.size() != b.size()) return INFINITY;
  double sum = 0;
  for (const auto [x, y] : ranges::views::zip(a, b))
    sum += std::abs(std::log(static_cast<double>(x) / static_cast<double>(y)));
  return sum;
}

Nearness nearness_of(const Record& r, const ProgramKey& program, const Platform& platform) {
  if (r.platform.device != platform.device) return Nearness::architecture;
  if (r.program.sizes != program.sizes) return Nearness::size;
  return r.platform == platform ? Nearness::exact : Nearness::platform;
}

}  // namespace

std::vector<Found> look_up(const Database& database, const ProgramKey& program, const Platform& platform,
                           bool caller_layout_only) {
  std::vector<Found> all;
  for (Record& r : database.find(program.expression, platform.backend)) {
    const bool other_kind = !platform.device.empty() && r.platform.architecture != platform.architecture;
    if (other_kind || r.program.sizes.size() != program.sizes.size() ||
        (caller_layout_only && !r.caller_layout))
      continue;
    const Nearness nearness = nearness_of(r, program, platform);
    const double factor = std::exp(distance(r.program.sizes, program.sizes));
    all.push_back({std::move(r), nearness, factor});
  }
  const auto rank = [&](const Found& f) {
    const Platform& p = f.record.platform;
    return std::tuple(f.nearness, f.factor, p.rules != platform.rules, p.threads != platform.threads,
                      p.compiler != platform.compiler);
  };
  std::stable_sort(all.begin(), all.end(), [&](const Found& a, const Found& b) {
    const auto x = rank(a), y = rank(b);
    return x != y ? x < y : faster(a.record, b.record);
  });
  return all;
}

bool near_enough(const Found& f) {
  constexpr double kFarthest = 16;
  return f.factor <= kFarthest;
}

std::string describe(const Found& f) {
  const Record& r = f.record;
  std::string how;
  switch (f.nearness) {
    case Nearness::exact:
      how = "for this problem on this machine";
      break;
    case Nearness::platform:
      how = fmt::format("for this problem on this device, by {} with {} threads and rules {}",
                        r.platform.compiler, r.platform.threads, r.platform.rules);
      break;
    case Nearness::size:
      how = "at " + size_text(r.program) + " on this device";
      break;
    case Nearness::architecture:
      how = fmt::format("{}on {}", r.program.sizes.empty() ? "" : "at " + size_text(r.program) + " ",
                        r.platform.device);
      break;
  }
  return fmt::format("{}, {}found {} ({} UTC)", r.variant,
                     r.speedup > 0 ? fmt::format("{:.2f}x the plain loops, ", r.speedup) : "", how,
                     time_text(r.when));
}

}  // namespace lift
