// Devices that run a kernel over a grid of work-groups: what OpenCL, CUDA and the host's emulation of CUDA
// have in common. Buffers stay on the device; the host writes and reads them.
//
// Errors. EnvironmentError: what the machine lacks or has lost (no driver, no device, no memory left on it, a
// device that failed). LimitError, a UserError: a launch that the device cannot make (work-group too large,
// too much local memory); a tuner takes it as "this configuration is impossible here". KernelFault: where a
// device can tell. InternalError: a wrong use of this interface. A source that does not compile is a result,
// not an exception.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/device_info.hpp"

namespace lift {

/// A buffer on a device; freed with its last owner.
class GridBuffer {
 public:
  virtual ~GridBuffer() = default;
  GridBuffer(const GridBuffer&) = delete;
  GridBuffer& operator=(const GridBuffer&) = delete;
  std::size_t bytes() const { return bytes_; }

 protected:
  explicit GridBuffer(std::size_t bytes) : bytes_(bytes) {}

 private:
  std::size_t bytes_;
};
using GridMemory = std::shared_ptr<GridBuffer>;

struct GridKernelInfo {
  int arguments = -1;  ///< -1 where the device does not tell
  std::size_t max_work_group =
      0;                        ///< for this kernel on its device: registers may allow less than the device's
  std::size_t local_bytes = 0;  ///< declared in the kernel; what a launch adds comes on top
  std::size_t private_bytes =
      0;              ///< a work-item, in memory: spills and private arrays, where the driver tells
  int registers = 0;  ///< a work-item; 0 where the device does not tell
};

/// One kernel of a built program; keeps the program alive.
class GridFunction {
 public:
  virtual ~GridFunction() = default;
  GridFunction(const GridFunction&) = delete;
  GridFunction& operator=(const GridFunction&) = delete;
  const std::string& name() const { return name_; }
  const GridKernelInfo& info() const { return info_; }

 protected:
  explicit GridFunction(std::string name) : name_(std::move(name)) {}
  std::string name_;
  GridKernelInfo info_;
};
using GridKernel = std::shared_ptr<GridFunction>;

class GridProgram {
 public:
  virtual ~GridProgram() = default;
  /// InternalError when there is none of that name.
  virtual GridKernel kernel(const std::string& name) = 0;
};

struct GridBuild {
  std::shared_ptr<GridProgram> program;  ///< null on failure
  std::string error;                     ///< the compiler's first lines on failure
  double seconds = 0;                    ///< of the compiler; 0 when cached
  bool cached = false;                   ///< built before, in this process or another
  bool stopped = false;                  ///< not built: interrupted, or the caller's callback said so
};

/// An argument of a kernel: a buffer, a number (int, long, float, double ... by its C++ type), or an array in
/// local memory (OpenCL's `__local` arguments).
class GridArg {
 public:
  GridArg(GridMemory memory)
      : memory_(std::move(memory)), kind_(Kind::Memory) {}  // NOLINT: written as they are
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  GridArg(T value) : bytes_(sizeof value) {  // NOLINT
    std::memcpy(value_.data(), &value, sizeof value);
  }
  /// A number by its bytes, 8 at most.
  static GridArg value_of(const void* bytes, std::size_t count) {
    GridArg arg(0);
    arg.bytes_ = std::min(count, arg.value_.size());
    std::memcpy(arg.value_.data(), bytes, arg.bytes_);
    return arg;
  }
  static GridArg local(std::size_t bytes) {
    GridArg arg(0);
    arg.bytes_ = bytes, arg.kind_ = Kind::Local;
    return arg;
  }

  enum class Kind : std::uint8_t { Value, Memory, Local };
  Kind kind() const { return kind_; }
  const GridMemory& memory() const { return memory_; }
  const void* value() const { return value_.data(); }  ///< of bytes() bytes
  std::size_t bytes() const { return bytes_; }         ///< of the number, or of the array in local memory

 private:
  GridMemory memory_;
  alignas(8) std::array<unsigned char, 8> value_ = {};
  std::size_t bytes_ = 0;
  Kind kind_ = Kind::Value;
};

/// One kernel over a grid of `dims` dimensions of work-items. `local` divides `global`; all zero where the
/// device chooses (GridDeviceInfo::chooses_local_size).
struct GridLaunch {
  GridKernel kernel = {};
  std::vector<GridArg> args = {};
  std::array<std::size_t, 3> global = {1, 1, 1};
  std::array<std::size_t, 3> local = {0, 0, 0};
  int dims = 1;
  std::size_t local_bytes = 0;  ///< CUDA: of the kernel's `extern __shared__` array
};

class GridQueue;
class Worker;

/// A device with one in-order queue of its own, and others as they are asked for (grid_queue.hpp); in this
/// process or in one of its own (apart_device.hpp). Safe to use from several threads (they take turns).
class GridDevice {
 public:
  static constexpr int kReads = 8;  ///< see timing_source()
  virtual ~GridDevice() = default;
  GridDevice(const GridDevice&) = delete;
  GridDevice& operator=(const GridDevice&) = delete;

  const GridDeviceInfo& info() const { return info_; }

  /// `options` beside the device's own, see default_options(). Programs are kept for a while: built again,
  /// they are there.
  GridBuild build(const std::string& source, const std::string& options = "");
  /// In the order of the sources; equal ones are built once. `on_progress(done)` is called now and then; on
  /// false, and on interrupted(), what has not begun is marked `stopped`.
  std::vector<GridBuild> build_all(std::span<const std::string> sources, const std::string& options = "",
                                   const std::function<bool(std::size_t done)>& on_progress = {});
  /// What programs are built with, as text for a kernel's header.
  virtual std::string default_options() const = 0;

  GridMemory allocate(std::size_t bytes);  ///< contents undefined
  /// The process in which the device is; null: this one.
  virtual std::shared_ptr<Worker> worker() const { return nullptr; }
  /// Counts the processes in which the device has been, beginning with 1. What was allocated in an earlier
  /// one is gone, and using it is an InternalError; programs are built again there without further ado.
  virtual unsigned generation() { return 1; }
  /// For the runs that follow, in a process of its own: how long each may take; 0: as long as it likes. What
  /// does not end throws WorkerLost, see worker.hpp.
  virtual void set_limit(double /*seconds*/) {}

  // Addresses in the device's process, whichever that is: of memory that this process had filled before that
  // one began, or that a KernelHost on worker() has given.
  /// The host's `bytes` at `data` as memory of a device that computes on them, kept alive by what is given;
  /// kernels may only read it. Null where a device has memory of its own.
  GridMemory share(const std::shared_ptr<const void>& data, std::size_t bytes);
  void write_there(const GridMemory& to, const void* from);  ///< all of the buffer
  void read_there(const GridMemory& from, void* to);         ///< all of the buffer
  /// Where a buffer's contents can be read until the device is used again; null where they have to be copied.
  const void* contents(const GridMemory& of);

  /// All of these return when done. Sizes and offsets in bytes; InternalError beyond the end.
  void write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset = 0);
  void read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset = 0);
  void copy(const GridMemory& to, const GridMemory& from);  ///< all of it; equal sizes
  void fill(const GridMemory& to, const void* pattern, std::size_t pattern_bytes);  ///< of 1, 2, 4 or 8 bytes
  template <class T>
  void fill(const GridMemory& to, T value) {
    fill(to, &value, sizeof value);
  }

  /// Runs the kernels in order, `times` times over, all queued at once, to their end; ms from the start of
  /// the first to the end of the last, by the device's clock.
  double run(std::span<const GridLaunch> launches, int times = 1);
  double run(const GridLaunch& launch) { return run({&launch, 1}); }
  /// The same, timed as kernels are compared: on processors, where the host's work for a launch is part of
  /// what is compared with other kernels there, ms by the steady clock of runs one after the other.
  double time(std::span<const GridLaunch> launches, int times = 1);
  /// The same with nothing of what came before in the device's cache: before each of the times, and not in
  /// the sum, an array of twice its size is read. As time() where the device does not tell the size.
  double time_from_memory(std::span<const GridLaunch> launches, int times = 1);
  /// ms of a kernel that does nothing, of many that follow one another; 0 where the device has none. Kernels
  /// that take no more than some of it are timed with their launches.
  double launch_ms();
  /// What both need, in the device's language: kernels `liftgen_idle`, of no argument, and
  /// `liftgen_read(const unsigned *in, unsigned *out)`, whose items read kReads elements each, a grid apart.
  /// Empty: neither is measured.
  virtual std::string timing_source() const { return ""; }

  /// One more queue; a device without queues has one that does its work when it is waited for.
  std::shared_ptr<GridQueue> new_queue();
  /// Since the device was opened.
  GridTransfers transfers() const;

  /// `f` is called in each run when all is queued: drivers have compiled what they leave to the first launch.
  void on_queued(std::function<void()> f) { queued_ = std::move(f); }

 protected:
  GridDevice() = default;
  using Progress = std::function<bool(std::size_t done)>;
  void tell_queued() const {
    if (queued_) queued_();
  }
  virtual double time_all(std::span<const GridLaunch> launches, int times);
  /// A launch that reads twice the cache's size; nothing where time_from_memory() is time().
  std::optional<GridLaunch> cache_flush();
  std::string build_options(const std::string& more) const {
    return default_options() + (more.empty() ? "" : " " + more);
  }
  /// Of what was built before; null when it was not.
  std::shared_ptr<GridProgram> known(const std::string& source, const std::string& more);
  void remember(const std::string& source, const std::string& more,
                const std::shared_ptr<GridProgram>& program);
  GridDeviceInfo info_;

 private:
  friend class GridQueue;
  friend class DeferredQueue;
  void count_write(std::size_t bytes) { ++writes_, written_bytes_ += bytes; }
  void count_read(std::size_t bytes) { ++reads_, read_bytes_ += bytes; }

  // Requests have been checked: sizes are within the buffers and not 0, launches fit the device.
  virtual GridBuild build_one(const std::string& source, const std::string& options) = 0;
  virtual GridMemory allocate_bytes(std::size_t bytes) = 0;
  virtual GridMemory share_bytes(const std::shared_ptr<const void>& /*data*/, std::size_t /*bytes*/) {
    return nullptr;
  }
  virtual void write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) = 0;
  virtual void read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) = 0;
  virtual void copy_bytes(GridBuffer& to, GridBuffer& from) = 0;
  virtual void fill_bytes(GridBuffer& to, const void* pattern, std::size_t pattern_bytes) = 0;
  virtual double run_all(std::span<const GridLaunch> launches, int times) = 0;
  virtual std::shared_ptr<GridQueue> make_queue();
  virtual double time_all_from_memory(std::span<const GridLaunch> launches, int times);
  virtual void write_all_there(GridBuffer& to, const void* from) { write_bytes(to, from, to.bytes(), 0); }
  virtual void read_all_there(GridBuffer& from, void* to) { read_bytes(from, to, from.bytes(), 0); }
  virtual const void* contents_of(GridBuffer& /*of*/) { return nullptr; }
  /// As build_all; the sources differ from one another.
  virtual std::vector<GridBuild> build_each(const std::vector<std::string>& sources,
                                            const std::string& options, const Progress& on_progress);
  /// How many programs may be built at a time.
  virtual int builders() const { return 1; }

  std::atomic<std::uint64_t> writes_ = 0, written_bytes_ = 0, reads_ = 0, read_bytes_ = 0;
  GridMemory flushed_;  ///< that time_from_memory() reads
  std::function<void()> queued_;
  std::mutex programs_mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<GridProgram>>> programs_;  ///< by hash, last built last
};

}  // namespace lift
