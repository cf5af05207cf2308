#include "runtime/opencl.hpp"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue: what 1.2 has
#define XXH_INLINE_ALL
#include <CL/cl.h>
#include <dlfcn.h>
#include <xxhash.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <sstream>
#include <string_view>

#include "ir/error.hpp"
#include "runtime/affinity.hpp"

namespace lift::opencl {
namespace {

#define LIFT_OPENCL_FUNCTIONS(X)                                                                          \
  X(clGetPlatformIDs)                                                                                     \
  X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) X(clReleaseContext)        \
      X(clCreateCommandQueue) X(clReleaseCommandQueue) X(clCreateProgramWithSource) X(clBuildProgram)     \
          X(clGetProgramBuildInfo) X(clReleaseProgram) X(clCreateKernel) X(clReleaseKernel)               \
              X(clSetKernelArg) X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clCreateBuffer)          \
                  X(clReleaseMemObject) X(clEnqueueWriteBuffer) X(clEnqueueReadBuffer)                    \
                      X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer) X(clEnqueueNDRangeKernel) X(clFinish) \
                          X(clGetEventInfo) X(clGetEventProfilingInfo) X(clReleaseEvent)

struct Api {
#define LIFT_DECLARE(name) decltype(&::name) name = nullptr;
  LIFT_OPENCL_FUNCTIONS(LIFT_DECLARE)
#undef LIFT_DECLARE
};

constexpr const char* kRemedy =
    "; for OpenCL on the processor: apt-get install ocl-icd-libopencl1 pocl-opencl-icd; for a GPU: its "
    "vendor's driver";

Api open_api() {
  // Drivers start their threads at the first calls; see affinity.hpp.
  const OriginalAffinity unpinned;
  void* library = RTLD_DEFAULT;
  if (::dlsym(RTLD_DEFAULT, "clGetPlatformIDs") == nullptr) {
    const char* chosen = std::getenv("LIFTGEN_OPENCL_LIBRARY");
    const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "libOpenCL.so.1";
    library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw EnvironmentError("no OpenCL loader: " + name + " cannot be opened" + std::string(kRemedy));
  }
  Api api;
#define LIFT_RESOLVE(function)                                                             \
  api.function = reinterpret_cast<decltype(&::function)>(::dlsym(library, #function));     \
  if (api.function == nullptr)                                                             \
    throw EnvironmentError("the OpenCL loader lacks " #function ": it is older than 1.2" + \
                           std::string(kRemedy));
  LIFT_OPENCL_FUNCTIONS(LIFT_RESOLVE)
#undef LIFT_RESOLVE
  return api;
}

const Api& api() {
  static const Api opened = open_api();  // tried again after a failure
  return opened;
}

struct StatusName {
  cl_int status;
  const char* name;
};

constexpr StatusName kStatusNames[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
};

std::string status_name(cl_int status) {
  for (const auto& known : kStatusNames)
    if (known.status == status) return known.name;
  return "OpenCL status " + std::to_string(status);
}

[[noreturn]] void fail(cl_int status, const std::string& what) {
  const std::string text = what + ": " + status_name(status);
  switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_BUILD_OPTIONS:
      throw UserError(text);
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_COMPILER_NOT_AVAILABLE:
      throw EnvironmentError(text);
    default:
      throw InternalError(text);
  }
}

void check(cl_int status, const std::string& what) {
  if (status != CL_SUCCESS) fail(status, what);
}

/// A text from one of the clGet...Info functions, without its terminator and surrounding blanks.
template <class Query>
std::string text_of(const Query& query) {
  std::size_t bytes = 0;
  if (query(0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (query(bytes, text.data(), nullptr) != CL_SUCCESS) return "";
  const auto blank = std::string_view("\0 \n\t", 4);
  text.erase(text.find_last_not_of(blank) + 1);
  text.erase(0, std::min(text.find_first_not_of(blank), text.size()));
  return text;
}

std::string device_text(cl_device_id device, cl_device_info what) {
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetDeviceInfo(device, what, size, to, needed);
  });
}

template <class T>
T device_value(cl_device_id device, cl_device_info what) {
  T value{};
  return api().clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

struct Found {
  cl_platform_id platform;
  cl_device_id device;
  DeviceInfo info;
};

DeviceInfo describe(cl_platform_id platform, cl_device_id device, int index) {
  DeviceInfo info;
  info.index = index;
  info.platform = text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, to, needed);
  });
  info.name = device_text(device, CL_DEVICE_NAME);
  info.version = device_text(device, CL_DEVICE_VERSION);
  info.driver = device_text(device, CL_DRIVER_VERSION);
  const auto type = device_value<cl_device_type>(device, CL_DEVICE_TYPE);
  info.gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  info.cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  info.f64 = device_value<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  info.compute_units = static_cast<int>(device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  info.max_work_group = device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info.max_work_items = device_value<std::array<std::size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  info.local_bytes = device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.local_is_dedicated =
      device_value<cl_device_local_mem_type>(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  info.global_bytes = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.max_allocation = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  return info;
}

std::vector<Found> find_devices() {
  const OriginalAffinity unpinned;
  cl_uint count = 0;
  cl_int status = api().clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (status == CL_SUCCESS && count > 0) status = api().clGetPlatformIDs(count, platforms.data(), nullptr);
  if (status != CL_SUCCESS || platforms.empty())
    throw EnvironmentError("no OpenCL platform: the loader is here, but no driver" + std::string(kRemedy));
  std::vector<Found> found;
  for (cl_platform_id platform : platforms) {
    cl_uint here = 0;
    if (api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &here) != CL_SUCCESS || here == 0)
      continue;
    std::vector<cl_device_id> ids(here);
    if (api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, here, ids.data(), nullptr) != CL_SUCCESS) continue;
    for (cl_device_id id : ids)
      found.push_back({platform, id, describe(platform, id, static_cast<int>(found.size()))});
  }
  if (found.empty())
    throw EnvironmentError("no OpenCL device: the drivers that are installed find none" +
                           std::string(kRemedy));
  return found;
}

Found choose_device(int index) {
  const std::vector<Found> found = find_devices();
  if (index < 0) {
    for (const auto& device : found)
      if (device.info.gpu) return device;
    return found.front();
  }
  if (static_cast<std::size_t>(index) < found.size()) return found[static_cast<std::size_t>(index)];
  std::string text = "there is no OpenCL device " + std::to_string(index) + "; there are";
  for (const auto& device : found)
    text += (device.info.index > 0 ? ", " : " ") + std::to_string(device.info.index) + " (" +
            device.info.name + ")";
  throw UserError(text);
}

std::string first_lines(const std::string& text, int max_lines) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; max_lines-- > 0 && std::getline(in, line);) out += (out.empty() ? "" : "\n") + line;
  return out;
}

}  // namespace

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> infos;
  for (auto& found : find_devices()) infos.push_back(std::move(found.info));
  return infos;
}

std::string why_unavailable() {
  try {
    (void)find_devices();
    return "";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

void configure_pocl(int threads) {
  if (threads <= 0) threads = default_threads();
  for (const char* name : {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"})  // before and since 4.0
    ::setenv(name, std::to_string(threads).c_str(), 0);
}

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
    result.error = log.empty() ? "the OpenCL compiler failed: " + status_name(status) : first_lines(log, 12);
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
