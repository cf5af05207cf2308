// Which first guesses leave most of a GPU without work, where others do not.
#pragma once

#include <cstddef>

#include "lower/loops/loop.hpp"

namespace lift {

/// Work-items of the largest of a kernel's launches.
std::size_t work_items(const Kernel& kernel);

class Filling {
 public:
  /// 0 multiprocessors: not known, every kernel will do.
  explicit Filling(int multiprocessors) : multiprocessors_(static_cast<std::size_t>(multiprocessors)) {}
  /// False for one with less than a quarter of the work-items that the device could hold, and of those that
  /// another one had which was asked about before.
  bool will_do(const Kernel& kernel);

 private:
  std::size_t multiprocessors_, most_ = 0;
};

}  // namespace lift
