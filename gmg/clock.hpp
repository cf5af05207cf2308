// How long something took.
#pragma once

#include <chrono>

namespace lift::gmg {

using Clock = std::chrono::steady_clock;
inline double ms_since(Clock::time_point t) {
  return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
}

}  // namespace lift::gmg
