#include "runtime/opencl.hpp"

#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "lower/passes/grids.hpp"
#include "runtime/affinity.hpp"
#include "runtime/buffer.hpp"
#include "runtime/cache.hpp"
#include "runtime/grid_queue.hpp"
#include "runtime/opencl_api.hpp"
#include "runtime/toolchain.hpp"

namespace lift::opencl {
namespace {

/// Memory on a device; on one that computes on the host's processors, bytes of the host.
struct DeviceArray final : GridBuffer {
  std::shared_ptr<const void> host;
  cl_mem memory;
  DeviceArray(std::size_t bytes, std::shared_ptr<const void> at, cl_mem handle)
      : GridBuffer(bytes), host(std::move(at)), memory(handle) {}
  ~DeviceArray() override { api().clReleaseMemObject(memory); }
};
cl_mem handle_of(const GridBuffer& buffer) { return static_cast<const DeviceArray&>(buffer).memory; }

/// A built program; its kernels keep it.
struct Built {
  cl_program program;
  cl_device_id device;
  Built(cl_program handle, cl_device_id on) : program(handle), device(on) {}
  ~Built() { api().clReleaseProgram(program); }
  Built(const Built&) = delete;
  Built& operator=(const Built&) = delete;
};

struct Function final : GridFunction {
  cl_kernel kernel;
  std::shared_ptr<Built> program;
  Function(cl_kernel handle, const std::string& called, std::shared_ptr<Built> of)
      : GridFunction(called), kernel(handle), program(std::move(of)) {
    cl_uint arguments = 0;
    check(api().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
          "opencl: kernel " + name_);
    info_.arguments = static_cast<int>(arguments);
    info_.max_work_group = ask(CL_KERNEL_WORK_GROUP_SIZE, std::size_t{0});
    info_.local_bytes = ask(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong{0});
    info_.private_bytes = ask(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong{0});
  }
  ~Function() override { api().clReleaseKernel(kernel); }

 private:
  template <class T>
  std::size_t ask(cl_kernel_work_group_info what, T value) const {
    const cl_int answer =
        api().clGetKernelWorkGroupInfo(kernel, program->device, what, sizeof value, &value, nullptr);
    return answer == CL_SUCCESS ? static_cast<std::size_t>(value) : 0;
  }
};

struct Program final : GridProgram {
  std::shared_ptr<Built> built;
  explicit Program(std::shared_ptr<Built> of) : built(std::move(of)) {}
  GridKernel kernel(const std::string& name) override {
    cl_int status = CL_SUCCESS;
    cl_kernel handle = api().clCreateKernel(built->program, name.c_str(), &status);
    check(status, "opencl: kernel " + name);
    return std::make_shared<Function>(handle, name, built);
  }
};

/// Events, released at the end.
struct Events {
  std::vector<cl_event> events;
  Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() { release(events.size()); }
  void release(std::size_t first) {
    for (std::size_t i = 0; i < first; ++i) api().clReleaseEvent(events[i]);
    events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(first));
  }
};

double profiled_ns(cl_event event, cl_profiling_info what) {
  cl_ulong ns = 0;
  check(api().clGetEventProfilingInfo(event, what, sizeof ns, &ns, nullptr), "opencl: time of a kernel");
  return static_cast<double>(ns);
}

}  // namespace

void* memory_object(const GridBuffer& buffer) { return handle_of(buffer); }

struct Device::Impl {
  Found found;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::mutex mutex;  ///< arguments of a kernel and the queue are set and used together

  std::optional<BinaryCache> cache;
  bool ran = false;

  Impl(Found device, const std::filesystem::path& cache_path) : found(std::move(device)) {
    if (!cache_path.empty() || found.info.platform != "Portable Computing Language")
      cache.emplace(cache_path);
    const OriginalAffinity unpinned;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(found.platform), 0};
    cl_int status = CL_SUCCESS;
    context = api().clCreateContext(properties, 1, &found.device, nullptr, nullptr, &status);
    check(status, "opencl: context on " + found.info.name);
    try {
      queue = open_queue(CL_QUEUE_PROFILING_ENABLE);
    } catch (...) {
      api().clReleaseContext(context);
      throw;
    }
  }
  ~Impl() {
    api().clFinish(queue);
    api().clReleaseCommandQueue(queue);
    api().clReleaseContext(context);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::shared_ptr<Built> from_binary(const std::string& binary, const std::string& options);
  std::shared_ptr<Built> from_source(const std::string& source, const std::string& options,
                                     std::string& error);
  void keep(const std::string& key, const Built& built);
  cl_mem create(std::size_t bytes, void* host, cl_int& status) const;
  cl_command_queue open_queue(cl_command_queue_properties properties) const;
  /// Queues one kernel; its event goes to `queued`. With the mutex held.
  void enqueue(cl_command_queue to, const GridLaunch& launch, Events& queued);
};

Device::Device(int index, const std::filesystem::path& cache)
    : impl_(std::make_unique<Impl>(choose_device(index), cache)) {
  info_ = impl_->found.info;
}
Device::~Device() = default;

std::string Device::default_options() const { return "-cl-std=CL1.2 -w"; }

/// From a binary that clGetProgramInfo gave at another time; null when the driver does not take it.
std::shared_ptr<Built> Device::Impl::from_binary(const std::string& binary, const std::string& options) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int loaded = CL_SUCCESS, status = CL_SUCCESS;
  cl_program handle =
      api().clCreateProgramWithBinary(context, 1, &found.device, &size, &bytes, &loaded, &status);
  if (status != CL_SUCCESS || handle == nullptr) return nullptr;
  auto built = std::make_shared<Built>(handle, found.device);
  if (loaded != CL_SUCCESS ||
      api().clBuildProgram(handle, 1, &found.device, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return nullptr;
  return built;
}

/// Null, with the log, when it does not compile.
std::shared_ptr<Built> Device::Impl::from_source(const std::string& source, const std::string& options,
                                                 std::string& error) {
  const char* sources[] = {source.c_str()};
  cl_int status = CL_SUCCESS;
  cl_program handle = api().clCreateProgramWithSource(context, 1, sources, nullptr, &status);
  check(status, "opencl: program");
  auto built = std::make_shared<Built>(handle, found.device);
  status = api().clBuildProgram(handle, 1, &found.device, options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return built;
  if (status == CL_COMPILER_NOT_AVAILABLE) fail(status, "opencl: program on " + found.info.name);
  const std::string log = text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetProgramBuildInfo(handle, found.device, CL_PROGRAM_BUILD_LOG, size, to, needed);
  });
  error = log.empty() ? "the OpenCL compiler failed: " + status_name(status) : first_lines(log);
  return nullptr;
}

void Device::Impl::keep(const std::string& key, const Built& built) {
  std::size_t size = 0;
  if (api().clGetProgramInfo(built.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size == 0)
    return;
  std::string binary(size, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  if (api().clGetProgramInfo(built.program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) == CL_SUCCESS)
    cache->keep(key, binary);
}

GridBuild Device::build_one(const std::string& source, const std::string& options) {
  const std::lock_guard lock(impl_->mutex);
  const OriginalAffinity unpinned;
  GridBuild result;
  std::string key = "opencl";
  for (const std::string_view part :
       {std::string_view(info_.platform), std::string_view(info_.name), std::string_view(info_.version),
        std::string_view(info_.driver), std::string_view(options), std::string_view(source)})
    key.append("\n").append(part);
  key = hash_text(key);
  std::shared_ptr<Built> built;
  if (const auto binary = impl_->cache ? impl_->cache->find(key) : std::nullopt)
    built = impl_->from_binary(*binary, options);
  result.cached = built != nullptr;
  if (!built) {
    built = impl_->from_source(source, options, result.error);
    if (built && impl_->cache) impl_->keep(key, *built);
  }
  if (built) result.program = std::make_shared<Program>(built);
  return result;
}

cl_command_queue Device::Impl::open_queue(cl_command_queue_properties properties) const {
  cl_int status = CL_SUCCESS;
  cl_command_queue opened = api().clCreateCommandQueue(context, found.device, properties, &status);
  check(status, "opencl: queue on " + found.info.name);
  return opened;
}

/// Null, with the status, when there is not that much memory.
cl_mem Device::Impl::create(std::size_t bytes, void* host, cl_int& status) const {
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (host != nullptr ? CL_MEM_USE_HOST_PTR : 0);
  const cl_mem handle = api().clCreateBuffer(context, flags, std::max<std::size_t>(bytes, 1), host, &status);
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
      status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE)
    return nullptr;
  check(status, "opencl: an array of " + std::to_string(bytes) + " bytes on " + found.info.name);
  return handle;
}

/// On processors in pages of ours: large, touched by all threads, no two arrays in the same cache sets, as
/// the arrays of kernels on the host are. Drivers' own are none of it.
GridMemory Device::allocate_bytes(std::size_t bytes) {
  cl_int status = CL_SUCCESS;
  if (!info_.cpu) {
    if (cl_mem handle = impl_->create(bytes, nullptr, status))
      return std::make_shared<DeviceArray>(bytes, nullptr, handle);
  } else {
    std::shared_ptr<Buffer> pages;
    try {
      pages = std::make_shared<Buffer>(std::max<std::size_t>(bytes, 1));
    } catch (const UserError& error) {
      throw OutOfDeviceMemory(error.what());
    }
    if (cl_mem handle = impl_->create(bytes, pages->data(), status))
      return std::make_shared<DeviceArray>(bytes, std::shared_ptr<void>(pages, pages->data()), handle);
  }
  throw OutOfDeviceMemory(
      "an array of " + std::to_string(bytes >> 20) + " MB does not fit on " + info_.name + " (" +
      status_name(status) + "), which has " + std::to_string(info_.global_bytes >> 20) +
      " MB in all; use a smaller --box or fewer --boxes, or end what else uses the device");
}

GridMemory Device::share_bytes(const std::shared_ptr<const void>& data, std::size_t bytes) {
  if (!info_.cpu) return nullptr;
  cl_int status = CL_SUCCESS;
  const cl_mem handle = impl_->create(bytes, const_cast<void*>(data.get()), status);
  return handle == nullptr ? nullptr : std::make_shared<DeviceArray>(bytes, data, handle);
}

/// What lies in the host's pages is brought up to date by mapping it, which there is nothing to do for where
/// the driver uses the pages themselves.
const void* Device::contents_of(GridBuffer& of) {
  const void* pages = static_cast<const DeviceArray&>(of).host.get();
  if (pages == nullptr) return nullptr;
  const std::lock_guard lock(impl_->mutex);
  cl_int status = CL_SUCCESS;
  void* at = api().clEnqueueMapBuffer(impl_->queue, handle_of(of), CL_TRUE, CL_MAP_READ, 0, of.bytes(), 0,
                                      nullptr, nullptr, &status);
  check(status, "opencl: read");
  check(api().clEnqueueUnmapMemObject(impl_->queue, handle_of(of), at, 0, nullptr, nullptr), "opencl: read");
  check(api().clFinish(impl_->queue), "opencl: read");
  return at == pages ? pages : nullptr;
}

void Device::write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) {
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueWriteBuffer(impl_->queue, handle_of(to), CL_TRUE, offset, bytes, from, 0, nullptr,
                                   nullptr),
        "opencl: write");
}

void Device::read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) {
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueReadBuffer(impl_->queue, handle_of(from), CL_TRUE, offset, bytes, to, 0, nullptr,
                                  nullptr),
        "opencl: read");
}

void Device::copy_bytes(GridBuffer& to, GridBuffer& from) {
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueCopyBuffer(impl_->queue, handle_of(from), handle_of(to), 0, 0, to.bytes(), 0, nullptr,
                                  nullptr),
        "opencl: copy");
  check(api().clFinish(impl_->queue), "opencl: copy");
}

void Device::fill_bytes(GridBuffer& to, const void* pattern, std::size_t pattern_bytes) {
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueFillBuffer(impl_->queue, handle_of(to), pattern, pattern_bytes, 0, to.bytes(), 0,
                                  nullptr, nullptr),
        "opencl: fill");
  check(api().clFinish(impl_->queue), "opencl: fill");
}

void Device::Impl::enqueue(cl_command_queue to, const GridLaunch& launch, Events& queued) {
  const std::string what = "kernel " + launch.kernel->name();
  cl_kernel kernel = static_cast<const Function&>(*launch.kernel).kernel;
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const GridArg& arg = launch.args[i];
    const cl_mem memory = arg.kind() == GridArg::Kind::Memory ? handle_of(*arg.memory()) : nullptr;
    const void* value = memory != nullptr                    ? &memory
                        : arg.kind() == GridArg::Kind::Local ? nullptr
                                                             : arg.value();
    check(api().clSetKernelArg(kernel, static_cast<cl_uint>(i),
                               memory != nullptr ? sizeof memory : arg.bytes(), value),
          what + ", argument " + std::to_string(i));
  }
  // Drivers for GPUs choose groups as small as an item; those for processors know best.
  constexpr std::size_t kItems = 128;
  std::array<std::size_t, 3> local = launch.local;
  if (local[0] == 0 && found.info.gpu)
    local = dividing_group(launch.global, std::min(kItems, launch.kernel->info().max_work_group));
  cl_event event = nullptr;
  check(api().clEnqueueNDRangeKernel(to, kernel, static_cast<cl_uint>(launch.dims), nullptr,
                                     launch.global.data(), local[0] == 0 ? nullptr : local.data(), 0, nullptr,
                                     &event),
        what);
  queued.events.push_back(event);
}

/// ms from the start of the first launch to the end of the last; with something `before` each of the times,
/// of each by itself.
double Device::run_each(const GridLaunch* before, std::span<const GridLaunch> launches, int times) {
  const std::lock_guard lock(impl_->mutex);
  std::optional<OriginalAffinity> unpinned;  // some drivers start their threads at the first launch
  if (!std::exchange(impl_->ran, true)) unpinned.emplace();
  Events queued;
  try {
    for (int time = 0; time < times; ++time) {
      if (before != nullptr) impl_->enqueue(impl_->queue, *before, queued);
      for (const GridLaunch& launch : launches) impl_->enqueue(impl_->queue, launch, queued);
    }
  } catch (...) {
    api().clFinish(impl_->queue);  // nothing of ours stays in the queue
    throw;
  }
  tell_queued();
  const std::string what = "kernel " + launches.front().kernel->name();
  check(api().clFinish(impl_->queue), what);
  for (cl_event event : queued.events) {
    cl_int outcome = CL_COMPLETE;
    check(api().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof outcome, &outcome, nullptr),
          what);
    if (outcome < 0) fail(outcome, what);
  }
  const std::size_t skipped = before != nullptr ? 1 : 0,
                    each = before != nullptr ? launches.size() + 1 : queued.events.size();
  double ns = 0;
  for (std::size_t first = 0; first < queued.events.size(); first += each)
    ns += profiled_ns(queued.events[first + each - 1], CL_PROFILING_COMMAND_END) -
          profiled_ns(queued.events[first + skipped], CL_PROFILING_COMMAND_START);
  return ns / 1e6;
}

double Device::run_all(std::span<const GridLaunch> launches, int times) {
  return run_each(nullptr, launches, times);
}

double Device::time_all_from_memory(std::span<const GridLaunch> launches, int times) {
  const std::optional<GridLaunch> flush = info_.cpu ? std::nullopt : cache_flush();
  return flush ? run_each(&*flush, launches, times) : time_all(launches, times);
}

std::string Device::timing_source() const {
  return "__kernel void liftgen_idle() {}\n"
         "__kernel void liftgen_read(__global const uint *in, __global uint *out) {\n"
         "  const size_t items = get_global_size(0);\n"
         "  uint all = 0;\n"
         "  for (int k = 0; k < " +
         std::to_string(kReads) +
         "; ++k) all |= in[get_global_id(0) + k * items];\n"
         "  if (all != 0) out[0] = 0;\n"
         "}\n";
}

/// The events of what was asked say how it ended; those of what has ended are looked at now and then.
class Device::Queue final : public GridQueue {
 public:
  explicit Queue(Device& of) : GridQueue(of), impl_(*of.impl_), queue_(impl_.open_queue(0)) {}
  ~Queue() override {
    api().clFinish(queue_);
    api().clReleaseCommandQueue(queue_);
  }

 private:
  void queue_write(const GridMemory& to, const void* from, std::size_t bytes, std::size_t offset) override {
    ask("opencl: write", [&](cl_event* event) {
      return api().clEnqueueWriteBuffer(queue_, handle_of(*to), CL_FALSE, offset, bytes, from, 0, nullptr,
                                        event);
    });
  }
  void queue_read(const GridMemory& from, void* to, std::size_t bytes, std::size_t offset) override {
    ask("opencl: read", [&](cl_event* event) {
      return api().clEnqueueReadBuffer(queue_, handle_of(*from), CL_FALSE, offset, bytes, to, 0, nullptr,
                                       event);
    });
  }
  void queue_copy(const GridMemory& to, const GridMemory& from) override {
    ask("opencl: copy", [&](cl_event* event) {
      return api().clEnqueueCopyBuffer(queue_, handle_of(*from), handle_of(*to), 0, 0, to->bytes(), 0,
                                       nullptr, event);
    });
  }
  void queue_run(std::span<const GridLaunch> launches) override {
    const std::lock_guard lock(impl_.mutex);
    std::optional<OriginalAffinity> unpinned;
    if (!std::exchange(impl_.ran, true)) unpinned.emplace();
    for (const GridLaunch& launch : launches) {
      impl_.enqueue(queue_, launch, events_);
      note("kernel " + launch.kernel->name());
    }
    check(api().clFlush(queue_), "opencl: queue");
  }
  /// From a marker in the other queue on.
  void queue_follow(const std::shared_ptr<GridQueue>& other) override {
    Queue& before = static_cast<Queue&>(*other);
    const std::lock_guard lock(impl_.mutex);
    Events marker;
    cl_event reached = nullptr;
    check(api().clEnqueueMarkerWithWaitList(before.queue_, 0, nullptr, &reached), "opencl: queue");
    marker.events.push_back(reached);
    check(api().clFlush(before.queue_), "opencl: queue");
    cl_event begun = nullptr;
    check(api().clEnqueueBarrierWithWaitList(queue_, 1, &reached, &begun), "opencl: queue");
    events_.events.push_back(begun);
    note("opencl: what another queue was asked for");
  }
  void wait_for_all() override {
    const cl_int finished = api().clFinish(queue_);
    const std::lock_guard lock(impl_.mutex);
    look_at_ended();
    events_.release(events_.events.size()), names_.clear();
    const auto failure = std::exchange(failure_, {});
    if (failure.first != CL_COMPLETE) fail(failure.first, failure.second);
    check(finished, "opencl: queue on " + impl_.found.info.name);
  }

  template <class Enqueue>
  void ask(const char* what, const Enqueue& enqueue) {
    const std::lock_guard lock(impl_.mutex);
    cl_event event = nullptr;
    check(enqueue(&event), what);
    events_.events.push_back(event);
    note(what);
    check(api().clFlush(queue_), what);
  }
  /// The last event is of this.
  void note(const std::string& what) {
    constexpr std::size_t kMostEvents = 256;
    names_.push_back(what);
    if (names_.size() >= kMostEvents) look_at_ended();
  }
  void look_at_ended() {
    std::size_t ended = 0;
    for (; ended < names_.size(); ++ended) {
      cl_int outcome = CL_COMPLETE;
      check(api().clGetEventInfo(events_.events[ended], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof outcome,
                                 &outcome, nullptr),
            names_[ended]);
      if (outcome > CL_COMPLETE) break;
      if (outcome < 0 && failure_.first == CL_COMPLETE) failure_ = {outcome, names_[ended]};
    }
    events_.release(ended);
    names_.erase(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(ended));
  }

  Impl& impl_;
  cl_command_queue queue_;
  Events events_;
  std::vector<std::string> names_;               ///< of what the events are of
  std::pair<cl_int, std::string> failure_ = {};  ///< the first, and of what
};

std::shared_ptr<GridQueue> Device::make_queue() { return std::make_shared<Queue>(*this); }

}  // namespace lift::opencl
