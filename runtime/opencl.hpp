// OpenCL 1.2 devices, through the ICD loader found at run time: nothing is linked, and CL headers stay in the
// .cpp.
//
// The loader is libOpenCL.so.1, or what $LIFTGEN_OPENCL_LIBRARY names; where the process already has OpenCL's
// functions (oclgrind puts itself there), those are used.
//
// Errors. EnvironmentError: no loader, no platform, no device, a device that went away. UserError: a request
// that the device cannot meet (work-group too large, too much local memory, an array that does not fit, no
// such device); a tuner takes it as "this configuration is impossible here". InternalError: a wrong use of
// this interface. A program that does not compile is a result, not an exception.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace lift::opencl {

struct DeviceInfo {
  int index = 0;  ///< as in --device
  std::string platform;
  std::string name;
  std::string version;  ///< "OpenCL 1.2 ..."
  std::string driver;
  bool gpu = false;
  bool cpu = false;
  bool f64 = false;
  int compute_units = 0;
  std::size_t max_work_group = 0;                  ///< work-items in a work-group
  std::array<std::size_t, 3> max_work_items = {};  ///< and in each of its dimensions
  std::size_t local_bytes = 0;                     ///< a work-group
  bool local_is_dedicated = false;  ///< false: local memory is ordinary memory, as on processors
  std::size_t global_bytes = 0;
  std::size_t max_allocation = 0;  ///< bytes of one buffer
};

/// All devices of all platforms, in the loader's order. Throws EnvironmentError, with the remedy, when there
/// is none.
std::vector<DeviceInfo> devices();

/// Empty when there is a device, else why not.
std::string why_unavailable();

/// Before the first use of OpenCL: how many threads PoCL is to use on the processor (others ignore it). What
/// the user has set in POCL_MAX_PTHREAD_COUNT stays.
void configure_pocl(int threads);

/// A buffer on a device. Movable handle; copies refer to the same buffer.
class Memory {
 public:
  Memory() = default;
  std::size_t bytes() const;
  struct Impl;

 private:
  friend class Device;
  friend class Arg;
  explicit Memory(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

struct KernelInfo {
  int arguments = 0;
  std::size_t max_work_group =
      0;                        ///< for this kernel on its device: registers may allow less than the device's
  std::size_t local_bytes = 0;  ///< declared in the kernel; arguments in local memory come on top
  std::size_t private_bytes = 0;  ///< a work-item; spills, where the driver tells
};

/// One kernel of a built program; keeps the program alive.
class Kernel {
 public:
  Kernel() = default;
  const KernelInfo& info() const;
  const std::string& name() const;
  struct Impl;

 private:
  friend class Device;
  friend class Program;
  explicit Kernel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

class Program {
 public:
  Kernel kernel(const std::string& name) const;  ///< InternalError when there is none
  struct Impl;

 private:
  friend class Device;
  explicit Program(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

struct BuildResult {
  std::shared_ptr<Program> program;  ///< null on failure
  std::string error;                 ///< the build log's first lines on failure
  double seconds = 0;
  bool cached = false;  ///< built before in this process
};

/// An argument of a kernel: a buffer, a number (int, long, float, double ... by its C++ type), or local
/// memory.
class Arg {
 public:
  Arg(const Memory& memory) : memory_(memory.impl_) {}  // NOLINT: arguments are written as they are
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Arg(T value) : bytes_(sizeof value) {  // NOLINT
    std::memcpy(value_.data(), &value, sizeof value);
  }
  static Arg local(std::size_t bytes) {
    Arg arg(0);
    arg.bytes_ = bytes;
    arg.is_local_ = true;
    return arg;
  }

 private:
  friend class Device;
  std::shared_ptr<Memory::Impl> memory_;
  alignas(8) std::array<unsigned char, 8> value_ = {};
  std::size_t bytes_ = 0;
  bool is_local_ = false;
};

/// One kernel over a grid of `dims` dimensions. `local` all zero: the driver chooses; otherwise it divides
/// `global`.
struct Launch {
  Kernel kernel = {};
  std::vector<Arg> args = {};
  std::array<std::size_t, 3> global = {1, 1, 1};
  std::array<std::size_t, 3> local = {0, 0, 0};
  int dims = 1;
};

/// A device with a context and one in-order queue. Safe to use from several threads (they take turns).
class Device {
 public:
  /// `index` as in devices(); -1: the first GPU, else the first device.
  explicit Device(int index = -1);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  const DeviceInfo& info() const;

  BuildResult build(const std::string& source, const std::string& options = "");

  Memory allocate(std::size_t bytes);  ///< contents undefined
  /// All of these return when done. Sizes and offsets in bytes; InternalError beyond the end.
  void write(const Memory& to, const void* from, std::size_t bytes, std::size_t offset = 0);
  void read(const Memory& from, void* to, std::size_t bytes, std::size_t offset = 0);
  void copy(const Memory& to, const Memory& from);                              ///< all of it; equal sizes
  void fill(const Memory& to, const void* pattern, std::size_t pattern_bytes);  ///< 1, 2, 4, 8 ... 128 bytes
  template <class T>
  void fill(const Memory& to, T value) {
    fill(to, &value, sizeof value);
  }

  /// Runs one kernel to its end; its time on the device in ms, by the device's clock.
  double launch(const Launch& launch);
  double launch(const Kernel& kernel, std::vector<Arg> args, std::array<std::size_t, 3> global,
                std::array<std::size_t, 3> local, int dims);
  /// Runs several in order, queued at once; ms from the start of the first to the end of the last.
  double run(std::span<const Launch> launches);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace lift::opencl
