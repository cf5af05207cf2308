// NVIDIA devices through CUDA's driver and its run-time compiler, both found at run time: nothing is linked
// and no header of CUDA is needed.
//
// The driver is libcuda.so.1, or what $LIFTGEN_CUDA_LIBRARY names; for the compiler see nvrtc.hpp, for where
// both are looked for cuda_places.hpp. Programs
// are kept on disk by source, options, architecture and version of the compiler. Errors as in
// grid_device.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/grid_device.hpp"

namespace lift::cuda {

/// Whether CUDA's driver is in use in this process. A copy of the process (fork) cannot use it then.
bool is_open();

/// All devices, in the driver's order; found by another process, unless the driver is in use in this one or
/// it cannot be copied (worker.hpp). EnvironmentError, with the remedy, when there is none.
std::vector<GridDeviceInfo> devices();

/// Empty when there are a device and a compiler, else why not.
std::string why_unavailable();

/// Where memory on a device of CUDA is, as its kernels see it.
std::uintptr_t device_address(const GridBuffer& buffer);

/// A device's primary context; its queues are streams on it.
class Device : public GridDevice {
 public:
  /// `index` as in devices(); -1: the first. EnvironmentError when there is none such, or no compiler for it.
  /// `cache`: see Vault.
  explicit Device(int index = -1, const std::filesystem::path& cache = {});
  ~Device() override;

  std::string default_options() const override;
  std::string timing_source() const override;

 private:
  struct Impl;

  GridBuild build_one(const std::string& source, const std::string& options) override;
  GridMemory allocate_bytes(std::size_t bytes) override;
  void write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) override;
  void read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) override;
  void copy_bytes(GridBuffer& to, GridBuffer& from) override;
  void fill_bytes(GridBuffer& to, const void* pattern, std::size_t pattern_bytes) override;
  double run_all(std::span<const GridLaunch> launches, int times) override;
  std::shared_ptr<GridQueue> make_queue() override;
  double time_all_from_memory(std::span<const GridLaunch> launches, int times) override;
  int builders() const override;

  class Queue;

  std::unique_ptr<Impl> impl_;
};

}  // namespace lift::cuda
