// What this machine computes kernels with: `--backend auto`.
#pragma once

#include "ir/target.hpp"

namespace lift {

/// CUDA where its driver finds a device and NVRTC is there, OpenCL where that finds a GPU, else processors.
/// Drivers are asked in a process of their own, see runtime/found_apart.hpp.
Target target_here();

}  // namespace lift
