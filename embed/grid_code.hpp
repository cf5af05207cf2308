// A kernel over a grid, built by the compiler of a device. Private to this folder.
#pragma once

#include "embed/device.hpp"
#include "lower/loops/loop.hpp"
#include "runtime/grid_device.hpp"

namespace lift {

struct GridCode {
  Kernel kernel;                     ///< as it was lowered, less what its launches do
  std::vector<GridLaunch> launches;  ///< see tuning/grid_launches.hpp
};

/// UserError: a function of the user's own that is refused, no f64 there; LimitError: what a work-group
/// needs.
GridCode grid_code(const Kernel& kernel, const std::string& source, const Device& device);

}  // namespace lift
