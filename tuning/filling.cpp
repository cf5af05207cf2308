#include "tuning/filling.hpp"

#include <algorithm>

#include "lower/launches.hpp"

namespace lift {

std::size_t work_items(const Kernel& kernel) {
  std::size_t most = 0;
  for (const Launch& launch : launches_in(kernel)) {
    std::size_t items = 1;
    for (const std::size_t n : launch.range.global) items *= n;
    most = std::max(most, items);
  }
  return most;
}

bool Filling::will_do(const Kernel& kernel) {
  constexpr std::size_t kItems = 2048, kPart = 4;  // of a multiprocessor
  if (multiprocessors_ == 0) return true;
  const std::size_t items = work_items(kernel);
  most_ = std::max(most_, items);
  return kPart * items >= std::min(multiprocessors_ * kItems, most_);
}

}  // namespace lift
