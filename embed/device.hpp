// A device that kernels of a C++ program run on, in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/target.hpp"
#include "runtime/device_info.hpp"

namespace lift {

class GridDevice;
class GridBuffer;
using GridMemory = std::shared_ptr<GridBuffer>;

/// A device of OpenCL or CUDA, or CUDA's emulation on the host. Copies are the same device, and so are two
/// that were chosen alike: arrays of one are arrays of the other. It is opened at the first kernel, array or
/// queue, which keep copies, and closed with the last copy; one that failed (DeviceLost) works again after
/// that.
class Device {
 public:
  /// `index` as in --device; -1: the first GPU, else the first. EnvironmentError: no driver, no device, none
  /// of that index. UserError: a backend without devices.
  explicit Device(Target backend, int index = -1);
  /// The device whose name has `part` in it, letters large or small. UserError: several have, or none has.
  Device(Target backend, std::string_view part);
  /// All of a backend, by number. Errors as above.
  static std::vector<Device> all(Target backend);
  /// CUDA kernels compiled as C++ and run on the host, thread by thread: races and accesses beyond an array
  /// are errors. Its times mean nothing, see runtime/cuda_host.hpp.
  static Device emulated_cuda();
  Device(const Device&) noexcept = default;  // moved as well: there is none without a device
  Device& operator=(const Device&) noexcept = default;

  Target backend() const;
  int index() const;  ///< as in --device; 0 where it is emulated
  bool is_emulated() const;
  const std::string& name() const;
  const GridDeviceInfo& info() const;
  /// What has gone between the host's memory and the device's since it was opened.
  GridTransfers transfers() const;
  /// Memory on it, contents undefined. OutOfDeviceMemory.
  GridMemory allocate(std::size_t bytes) const;
  /// Memory of this device as its driver knows it: OpenCL's cl_mem, CUDA's address. UserError: it is
  /// emulated.
  std::uintptr_t handle_of(const GridMemory& memory) const;
  /// For what this class does not offer. Lives as long as a copy of the device.
  GridDevice& grid() const;

  friend bool operator==(const Device& a, const Device& b) { return a.impl_ == b.impl_; }

  struct Impl;

 private:
  friend class QueueLoan;
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<Impl> impl_;
};

}  // namespace lift
