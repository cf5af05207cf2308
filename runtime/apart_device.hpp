// A device in a process of its own: a kernel that crashes, ends the process, does not end or makes the device
// fail costs that process, which is replaced at the next use.
//
// The process is a Worker's child, and opens the device itself: neither OpenCL nor CUDA works in a copy of a
// process that has it open. What a run throws when the process is lost is WorkerLost; what was allocated
// there is gone then (GridDevice::generation()). A device that fails again and again (several times without a
// run in between that succeeds), or that cannot be opened again, throws DeviceLost.
#pragma once

#include <functional>
#include <memory>

#include "runtime/grid_device.hpp"

namespace lift {

/// The device that `open` makes, in a process of its own, begun at once; errors as `open`. In this process
/// when that cannot be copied (see worker.hpp), or with `in_use`: the device's driver is in use here.
std::shared_ptr<GridDevice> open_apart(std::function<std::unique_ptr<GridDevice>()> open, bool in_use);

}  // namespace lift
