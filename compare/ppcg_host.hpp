// What PPCG's host code launches on a device.
#pragma once

#include <string>
#include <vector>

#include "lower/loops/loop.hpp"
#include "tuning/executor.hpp"

namespace lift {

/// In order, of `NAME_host.cu` or `NAME_host.c` (--target=cuda, opencl). `kernel`: whose arguments they have:
/// PPCG calls array x on the device dev_x. UserError for what is not launched once, with sizes that are
/// numbers.
std::vector<OwnLaunch> launches_of_ppcg(const std::string& host, const Kernel& kernel, Target target);

}  // namespace lift
