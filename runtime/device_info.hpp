// What is known of a device that kernels run on, and how it fails: see grid_device.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/error.hpp"

namespace lift {

/// A kernel did what no kernel may: went beyond an array, met a barrier in part, raced, did not end.
struct KernelFault : InternalError {
  using InternalError::InternalError;
};
/// An array does not fit into the memory that the device has left. Nothing was changed by the attempt.
struct OutOfDeviceMemory : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};
/// A kernel made the device fail. Its buffers are gone and whatever is asked of it throws this again; a new
/// GridDevice, made when this one has gone, works.
struct DeviceLost : EnvironmentError {
  std::string cause;  ///< what() without the remedy
  explicit DeviceLost(const std::string& why)
      : EnvironmentError(why + "; the device is of no use to this process any more, start it again"),
        cause(why) {}
};

struct GridDeviceInfo {
  int index = 0;         ///< as in --device
  std::string platform;  ///< "Portable Computing Language", "NVIDIA CUDA", ...
  std::string name;
  std::string version;  ///< "OpenCL 1.2 ...", "sm_90"
  std::string driver;
  bool gpu = false;
  bool cpu = false;       ///< computes on this machine's processors: their roofline is its own
  bool emulated = false;  ///< its times mean nothing
  bool f64 = false;
  int compute_units = 0;
  int warp = 1;                    ///< work-items that run in step; 1 where the device does not tell
  std::size_t max_work_group = 0;  ///< work-items in a work-group
  std::array<std::size_t, 3> max_work_items = {};  ///< and in each of its dimensions
  std::array<std::size_t, 3> max_groups = {};      ///< work-groups in each dimension of the grid; 0: no limit
  std::size_t local_bytes = 0;                     ///< a work-group, for arrays declared in the kernel
  std::size_t max_local_bytes = 0;  ///< a work-group, with what a launch adds; at least local_bytes
  bool local_is_dedicated = false;  ///< false: local memory is ordinary memory, as on processors
  int registers = 0;                ///< 32-bit ones of a work-group; 0 where the device does not tell
  std::size_t global_bytes = 0;
  std::size_t max_allocation = 0;   ///< bytes of one buffer
  std::size_t cache_bytes = 0;      ///< between its memory and all of it; 0 where the device does not tell
  bool chooses_local_size = false;  ///< GridLaunch::local may be zero
};

/// What has gone between the host and a device through GridDevice's and GridQueue's write and read.
struct GridTransfers {
  std::uint64_t writes = 0, written_bytes = 0, reads = 0, read_bytes = 0;
};

}  // namespace lift
