#include "runtime/opencl.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <chrono>
#include <deque>
#include <mutex>

#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/opencl_api.hpp"
#include "runtime/toolchain.hpp"

namespace lift::opencl {

struct Memory::Impl {
  cl_mem memory = nullptr;
  std::size_t bytes = 0;
  Impl(cl_mem handle, std::size_t size) : memory(handle), bytes(size) {}
  ~Impl() { api().clReleaseMemObject(memory); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

std::size_t Memory::bytes() const { return impl_ ? impl_->bytes : 0; }

struct Program::Impl {
  cl_program program = nullptr;
  cl_device_id device = nullptr;
  Impl(cl_program handle, cl_device_id on) : program(handle), device(on) {}
  ~Impl() { api().clReleaseProgram(program); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

struct Kernel::Impl {
  cl_kernel kernel = nullptr;
  std::string name;
  KernelInfo info;
  std::shared_ptr<Program::Impl> program;
  Impl(cl_kernel handle, std::string called, std::shared_ptr<Program::Impl> of)
      : kernel(handle), name(std::move(called)), program(std::move(of)) {}
  ~Impl() { api().clReleaseKernel(kernel); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

const KernelInfo& Kernel::info() const {
  if (!impl_) throw InternalError("opencl: an empty kernel");
  return impl_->info;
}
const std::string& Kernel::name() const {
  if (!impl_) throw InternalError("opencl: an empty kernel");
  return impl_->name;
}

Kernel Program::kernel(const std::string& name) const {
  cl_int status = CL_SUCCESS;
  cl_kernel handle = api().clCreateKernel(impl_->program, name.c_str(), &status);
  check(status, "opencl: kernel " + name);
  auto kernel = std::make_shared<Kernel::Impl>(handle, name, impl_);
  cl_uint arguments = 0;
  check(api().clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
        "opencl: kernel " + name);
  kernel->info.arguments = static_cast<int>(arguments);
  const auto ask = [&]<class T>(cl_kernel_work_group_info what, T value) -> std::size_t {
    const cl_int answer =
        api().clGetKernelWorkGroupInfo(handle, impl_->device, what, sizeof value, &value, nullptr);
    return answer == CL_SUCCESS ? static_cast<std::size_t>(value) : 0;
  };
  kernel->info.max_work_group = ask(CL_KERNEL_WORK_GROUP_SIZE, std::size_t{0});
  kernel->info.local_bytes = ask(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong{0});
  kernel->info.private_bytes = ask(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong{0});
  return Kernel(std::move(kernel));
}

struct Device::Impl {
  static constexpr std::size_t kKeptPrograms = 64;

  Found found;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::mutex mutex;  ///< arguments of a kernel and the queue are set and used together
  std::deque<std::pair<XXH128_hash_t, std::shared_ptr<Program>>> programs;  ///< last built last

  explicit Impl(Found device) : found(std::move(device)) {
    const OriginalAffinity unpinned;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(found.platform), 0};
    cl_int status = CL_SUCCESS;
    context = api().clCreateContext(properties, 1, &found.device, nullptr, nullptr, &status);
    check(status, "opencl: context on " + found.info.name);
    queue = api().clCreateCommandQueue(context, found.device, CL_QUEUE_PROFILING_ENABLE, &status);
    if (status != CL_SUCCESS) api().clReleaseContext(context);
    check(status, "opencl: queue on " + found.info.name);
  }
  ~Impl() {
    programs.clear();
    api().clFinish(queue);
    api().clReleaseCommandQueue(queue);
    api().clReleaseContext(context);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

Device::Device(int index) : impl_(std::make_unique<Impl>(choose_device(index))) {}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
const DeviceInfo& Device::info() const { return impl_->found.info; }

BuildResult Device::build(const std::string& source, const std::string& options) {
  const std::lock_guard lock(impl_->mutex);
  const OriginalAffinity unpinned;
  BuildResult result;
  const std::string text = options + '\n' + source;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  for (const auto& [known, program] : impl_->programs) {
    if (!XXH128_isEqual(known, hash)) continue;
    result.program = program;
    result.cached = true;
    return result;
  }

  const auto begin = std::chrono::steady_clock::now();
  const char* sources[] = {source.c_str()};
  cl_int status = CL_SUCCESS;
  cl_program handle = api().clCreateProgramWithSource(impl_->context, 1, sources, nullptr, &status);
  check(status, "opencl: program");
  const auto program = std::make_shared<Program::Impl>(handle, impl_->found.device);
  status = api().clBuildProgram(handle, 1, &impl_->found.device, options.c_str(), nullptr, nullptr);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (status != CL_SUCCESS) {
    const std::string log = text_of([&](std::size_t size, void* to, std::size_t* needed) {
      return api().clGetProgramBuildInfo(handle, impl_->found.device, CL_PROGRAM_BUILD_LOG, size, to, needed);
    });
    result.error = log.empty() ? "the OpenCL compiler failed: " + status_name(status) : first_lines(log);
    return result;
  }
  result.program = std::shared_ptr<Program>(new Program(program));
  if (impl_->programs.size() == Impl::kKeptPrograms) impl_->programs.pop_front();
  impl_->programs.emplace_back(hash, result.program);
  return result;
}

Memory Device::allocate(std::size_t bytes) {
  if (bytes > info().max_allocation && info().max_allocation > 0)
    throw UserError("an array of " + std::to_string(bytes >> 20) + " MB does not fit on " + info().name +
                    ", which allows " + std::to_string(info().max_allocation >> 20) +
                    " MB in one; use a smaller box or fewer of them");
  cl_int status = CL_SUCCESS;
  cl_mem handle = api().clCreateBuffer(impl_->context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1),
                                       nullptr, &status);
  check(status, "opencl: an array of " + std::to_string(bytes) + " bytes on " + info().name);
  return Memory(std::make_shared<Memory::Impl>(handle, bytes));
}

namespace {

void check_range(const char* what, std::size_t bytes, std::size_t offset, std::size_t size) {
  if (offset <= size && bytes <= size - offset) return;
  throw InternalError(std::string("opencl: ") + what + " of " + std::to_string(bytes) + " bytes at " +
                      std::to_string(offset) + " in a buffer of " + std::to_string(size));
}

/// Whether this configuration can run at all; said before the driver says less.
void check_fits(const Launch& launch, std::size_t local_argument_bytes, const DeviceInfo& device) {
  const KernelInfo& kernel = launch.kernel.info();
  const std::string what = "kernel " + launch.kernel.name();
  if (launch.dims < 1 || launch.dims > 3) throw InternalError(what + ": a grid has 1 to 3 dimensions");
  if (static_cast<int>(launch.args.size()) != kernel.arguments)
    throw InternalError(what + " takes " + std::to_string(kernel.arguments) + " arguments, not " +
                        std::to_string(launch.args.size()));
  const std::size_t local_bytes = kernel.local_bytes + local_argument_bytes;
  if (local_bytes > device.local_bytes)
    throw UserError(what + " needs " + std::to_string(local_bytes) + " bytes of local memory; " +
                    device.name + " has " + std::to_string(device.local_bytes) + " a work-group");
  if (launch.local == std::array<std::size_t, 3>{0, 0, 0}) return;
  std::size_t items = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(launch.dims); ++d) {
    const std::size_t local = launch.local[d];
    items *= local;
    if (local == 0 || launch.global[d] % local != 0)
      throw UserError(what + ": work-groups of " + std::to_string(local) + " do not divide the grid's " +
                      std::to_string(launch.global[d]) + " in dimension " + std::to_string(d));
    if (local > device.max_work_items[d])
      throw UserError(what + ": " + std::to_string(local) + " work-items in dimension " + std::to_string(d) +
                      "; " + device.name + " allows " + std::to_string(device.max_work_items[d]));
  }
  if (items > kernel.max_work_group)
    throw UserError(what + ": work-groups of " + std::to_string(items) + " work-items; " + device.name +
                    " allows " + std::to_string(kernel.max_work_group) + " for it");
}

/// Events, released at the end.
struct Events {
  std::vector<cl_event> events;
  ~Events() {
    for (cl_event event : events) api().clReleaseEvent(event);
  }
};

double profiled_ns(cl_event event, cl_profiling_info what) {
  cl_ulong ns = 0;
  check(api().clGetEventProfilingInfo(event, what, sizeof ns, &ns, nullptr), "opencl: time of a kernel");
  return static_cast<double>(ns);
}

}  // namespace

void Device::write(const Memory& to, const void* from, std::size_t bytes, std::size_t offset) {
  check_range("write", bytes, offset, to.bytes());
  if (bytes == 0) return;
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueWriteBuffer(impl_->queue, to.impl_->memory, CL_TRUE, offset, bytes, from, 0, nullptr,
                                   nullptr),
        "opencl: write");
}

void Device::read(const Memory& from, void* to, std::size_t bytes, std::size_t offset) {
  check_range("read", bytes, offset, from.bytes());
  if (bytes == 0) return;
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueReadBuffer(impl_->queue, from.impl_->memory, CL_TRUE, offset, bytes, to, 0, nullptr,
                                  nullptr),
        "opencl: read");
}

void Device::copy(const Memory& to, const Memory& from) {
  if (to.bytes() != from.bytes())
    check_range("copy", from.bytes(), 0, to.bytes() < from.bytes() ? to.bytes() : 0);
  if (to.bytes() == 0) return;
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueCopyBuffer(impl_->queue, from.impl_->memory, to.impl_->memory, 0, 0, to.bytes(), 0,
                                  nullptr, nullptr),
        "opencl: copy");
  check(api().clFinish(impl_->queue), "opencl: copy");
}

void Device::fill(const Memory& to, const void* pattern, std::size_t pattern_bytes) {
  if (pattern_bytes == 0 || to.bytes() % pattern_bytes != 0)
    throw InternalError("opencl: filling " + std::to_string(to.bytes()) + " bytes by " +
                        std::to_string(pattern_bytes));
  if (to.bytes() == 0) return;
  const std::lock_guard lock(impl_->mutex);
  check(api().clEnqueueFillBuffer(impl_->queue, to.impl_->memory, pattern, pattern_bytes, 0, to.bytes(), 0,
                                  nullptr, nullptr),
        "opencl: fill");
  check(api().clFinish(impl_->queue), "opencl: fill");
}

double Device::launch(const Launch& launch) { return run({&launch, 1}); }

double Device::launch(const Kernel& kernel, std::vector<Arg> args, std::array<std::size_t, 3> global,
                      std::array<std::size_t, 3> local, int dims) {
  return launch({kernel, std::move(args), global, local, dims});
}

double Device::run(std::span<const Launch> launches) {
  if (launches.empty()) return 0;
  const std::lock_guard lock(impl_->mutex);
  Events queued;
  cl_int status = CL_SUCCESS;
  std::string what;
  for (const Launch& launch : launches) {
    std::size_t local_bytes = 0;
    for (const Arg& arg : launch.args) local_bytes += arg.is_local_ ? arg.bytes_ : 0;
    check_fits(launch, local_bytes, info());
    what = "kernel " + launch.kernel.name();
    cl_kernel kernel = launch.kernel.impl_->kernel;
    for (std::size_t i = 0; i < launch.args.size() && status == CL_SUCCESS; ++i) {
      const Arg& arg = launch.args[i];
      const bool buffer = !arg.is_local_ && arg.bytes_ == 0;
      if (buffer && !arg.memory_)
        throw InternalError(what + ": argument " + std::to_string(i) + " is an empty buffer");
      const void* value = buffer          ? static_cast<const void*>(&arg.memory_->memory)
                          : arg.is_local_ ? nullptr
                                          : arg.value_.data();
      status =
          api().clSetKernelArg(kernel, static_cast<cl_uint>(i), buffer ? sizeof(cl_mem) : arg.bytes_, value);
      if (status != CL_SUCCESS) what += ", argument " + std::to_string(i);
    }
    const bool choose = launch.local == std::array<std::size_t, 3>{0, 0, 0};
    cl_event event = nullptr;
    if (status == CL_SUCCESS)
      status = api().clEnqueueNDRangeKernel(impl_->queue, kernel, static_cast<cl_uint>(launch.dims), nullptr,
                                            launch.global.data(), choose ? nullptr : launch.local.data(), 0,
                                            nullptr, &event);
    if (status != CL_SUCCESS) break;
    queued.events.push_back(event);
  }
  const cl_int finished =
      api().clFinish(impl_->queue);  // also after a failure: nothing of ours stays in the queue
  check(status, what);
  check(finished, what);
  for (cl_event event : queued.events) {
    cl_int outcome = CL_COMPLETE;
    check(api().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof outcome, &outcome, nullptr),
          what);
    if (outcome < 0) fail(outcome, what);
  }
  const double begin = profiled_ns(queued.events.front(), CL_PROFILING_COMMAND_START);
  return (profiled_ns(queued.events.back(), CL_PROFILING_COMMAND_END) - begin) / 1e6;
}

}  // namespace lift::opencl
