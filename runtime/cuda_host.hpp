// CUDA without a device: sources are compiled as C++ and run on the host, for checking. What a device would
// show only sometimes is an error here, always: an access beyond an array, a barrier that not all threads of
// a block reach, results that depend on the order of threads. Its times mean nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda_host/counting.hpp"
#include "runtime/cuda_host/fibers.hpp"
#include "runtime/cuda_host/run.hpp"
#include "runtime/grid_device.hpp"
#include "runtime/native.hpp"

namespace lift {

struct CudaHostOptions {
  std::vector<cuda_host::Schedule> schedules =
      cuda_host::checking_schedules();  ///< each run is done under all of them
  double timeout_seconds = 60;          ///< for a run under one of them
  std::string compiler = {};            ///< as in NativeSource
  /// Where given, runs are counted instead of checked: memory stays as it is, and this is what the launches
  /// of the last run did. It outlives the device.
  std::vector<cuda_host::LaunchTraffic>* traffic = nullptr;
};

/// A device with the limits of an NVIDIA GPU. `compiler` outlives it and its programs. A kernel at fault
/// makes run() throw KernelFault, after which the device is as good as before.
std::shared_ptr<GridDevice> make_cuda_host_device(NativeCompiler& compiler, CudaHostOptions options = {});

}  // namespace lift
