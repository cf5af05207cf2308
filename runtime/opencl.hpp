// OpenCL 1.2 devices, through the ICD loader found at run time: nothing is linked, and CL headers stay in the
// .cpp.
//
// The loader is libOpenCL.so.1, or what $LIFTGEN_OPENCL_LIBRARY names; where the process already has OpenCL's
// functions (oclgrind puts itself there), those are used. Programs are kept on disk by source, options,
// device and driver. Errors as in grid_device.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/grid_device.hpp"

namespace lift::opencl {

/// Whether OpenCL is in use in this process. A copy of the process (fork) cannot use it then.
bool is_open();

/// All devices of all platforms, in the loader's order; found by another process, unless OpenCL is in use in
/// this one or it cannot be copied (worker.hpp). Throws EnvironmentError, with the remedy, when there
/// is none.
std::vector<GridDeviceInfo> devices();

/// Empty when there is a device, else why not.
std::string why_unavailable();

/// How many threads PoCL is to use on the processor (others ignore it) in workers that are made from now on.
/// What the user has set in POCL_MAX_PTHREAD_COUNT stays, and is all that it knows of in this process.
void configure_pocl(int threads);

/// The cl_mem of memory on a device of OpenCL.
void* memory_object(const GridBuffer& buffer);

/// A device with a context.
class Device : public GridDevice {
 public:
  /// `index` as in devices(); -1: the first GPU, else the first device. EnvironmentError when there is none
  /// such. `cache`: see Vault; PoCL, which keeps programs itself and compiles them again to give
  /// them away, has one only if asked.
  explicit Device(int index = -1, const std::filesystem::path& cache = {});
  ~Device() override;

  std::string default_options() const override;
  std::string timing_source() const override;

 private:
  struct Impl;

  GridBuild build_one(const std::string& source, const std::string& options) override;
  GridMemory allocate_bytes(std::size_t bytes) override;
  GridMemory share_bytes(const std::shared_ptr<const void>& data, std::size_t bytes) override;
  void write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) override;
  void read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) override;
  void copy_bytes(GridBuffer& to, GridBuffer& from) override;
  void fill_bytes(GridBuffer& to, const void* pattern, std::size_t pattern_bytes) override;
  double run_all(std::span<const GridLaunch> launches, int times) override;
  std::shared_ptr<GridQueue> make_queue() override;
  double time_all_from_memory(std::span<const GridLaunch> launches, int times) override;
  double run_each(const GridLaunch* before, std::span<const GridLaunch> launches, int times);
  const void* contents_of(GridBuffer& of) override;

  class Queue;

  std::unique_ptr<Impl> impl_;
};

}  // namespace lift::opencl
