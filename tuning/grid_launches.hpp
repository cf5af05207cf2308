// A kernel's launches on a device, as a queue takes them.
#pragma once

#include <vector>

#include "lower/loops/loop.hpp"
#include "runtime/grid_device.hpp"

namespace lift {

/// Those in the text of a kernel for a target with a grid, in its order, from a program built of its source;
/// without arguments.
std::vector<GridLaunch> grid_launches(const Kernel& kernel, GridProgram& program);
/// What the host launches, in order: `launches` are those of grid_launches, `arguments` the kernel's, by
/// whose integers the host's loops go.
std::vector<GridLaunch> called(const Kernel& kernel, const std::vector<GridLaunch>& launches,
                               const std::vector<GridArg>& arguments);

}  // namespace lift
