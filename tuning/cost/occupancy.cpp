#include "tuning/cost/occupancy.hpp"

#include <algorithm>

namespace lift {
namespace {

constexpr std::size_t kWarp = 32;

std::size_t warps_of(const GroupNeeds& needs) { return (needs.items + kWarp - 1) / kWarp; }

}  // namespace

Multiprocessor multiprocessor(int architecture) {
  Multiprocessor m;
  if (architecture >= 90) m.local_bytes = std::size_t{228} * 1024;
  if (architecture == 86 || architecture == 89)
    m.items = 1536, m.groups = architecture == 86 ? 16 : 24, m.local_bytes = std::size_t{100} * 1024;
  if (architecture >= 120) m.items = 1536, m.local_bytes = std::size_t{100} * 1024;
  if (architecture < 80) m.local_bytes = std::size_t{96} * 1024;
  if (architecture == 75) m.items = 1024, m.groups = 16, m.local_bytes = std::size_t{64} * 1024;
  return m;
}

std::size_t resident_groups(const GroupNeeds& needs, const Multiprocessor& on) {
  constexpr std::size_t kUnit = 256;  // registers are given to warps by so many
  const std::size_t warps = std::max<std::size_t>(1, warps_of(needs)),
                    of_warp = (needs.registers * kWarp + kUnit - 1) / kUnit * kUnit;
  std::size_t groups = std::min(on.groups, on.items / kWarp / warps);
  if (of_warp > 0) groups = std::min(groups, on.registers / of_warp / warps);
  return std::min(groups, on.local_bytes / (needs.local_bytes + Multiprocessor::kOfSystem));
}

double occupancy(const GroupNeeds& needs, const Multiprocessor& on) {
  const std::size_t warps = on.items / kWarp;
  return static_cast<double>(resident_groups(needs, on) * warps_of(needs)) / static_cast<double>(warps);
}

}  // namespace lift
