// What a kernel for CUDA does in global memory, counted on this machine without a device.
#pragma once

#include "lower/loops/loop.hpp"
#include "runtime/cuda_host/counting.hpp"
#include "runtime/native.hpp"

namespace lift {

/// By launch, in order. Of a kernel that is lowered for CUDA, over arrays that hold the same number
/// everywhere; its index parameters are 0. What it does must not depend on what arrays hold. UserError,
/// EnvironmentError and KernelFault as cuda_host::count_traffic; InternalError when the source does not
/// compile.
std::vector<cuda_host::LaunchTraffic> counted_traffic(const Kernel& kernel, NativeCompiler& compiler);

/// All launches together; shared memory of the launch that has most of it.
cuda_host::LaunchTraffic total(const std::vector<cuda_host::LaunchTraffic>& launches);

}  // namespace lift
