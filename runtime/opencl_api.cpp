#include "runtime/opencl_api.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

#include "ir/limit_error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/environment.hpp"
#include "runtime/found_apart.hpp"

namespace lift::opencl {
namespace {

constexpr const char* kRemedy =
    "; for OpenCL on the processor: apt-get install ocl-icd-libopencl1 pocl-opencl-icd; for a GPU: its "
    "vendor's driver";

std::atomic<bool> opened_here = false;

std::string loader() {
  const char* chosen = std::getenv("LIFTGEN_OPENCL_LIBRARY");
  return chosen != nullptr && *chosen != '\0' ? chosen : "libOpenCL.so.1";
}

Api open_api() {
  // Drivers start their threads at the first calls; see affinity.hpp.
  const OriginalAffinity unpinned;
  if (std::getenv("PATH") == nullptr)
    throw EnvironmentError(
        "no OpenCL: the environment variable PATH is not set; PoCL calls ld, and ends the process without "
        "it: set it");
  void* library = RTLD_DEFAULT;
  if (::dlsym(RTLD_DEFAULT, "clGetPlatformIDs") == nullptr) {
    const std::string name = loader();
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

GridDeviceInfo describe(cl_platform_id platform, cl_device_id device, int index) {
  GridDeviceInfo info;
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
  info.max_local_bytes = info.local_bytes;
  info.local_is_dedicated =
      device_value<cl_device_local_mem_type>(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  info.global_bytes = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.max_allocation = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.cache_bytes = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  info.chooses_local_size = true;
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

}  // namespace

const Api& api() {
  static const Api opened = open_api();  // tried again after a failure
  opened_here = true;
  return opened;
}

std::string status_name(cl_int status) {
  for (const auto& known : kStatusNames)
    if (known.status == status) return known.name;
  return "OpenCL status " + std::to_string(status);
}

[[noreturn]] void fail(cl_int status, const std::string& what) {
  const std::string text = what + ": " + status_name(status);
  switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:  // drivers allocate when a buffer is first used
    case CL_OUT_OF_HOST_MEMORY:
      throw OutOfDeviceMemory(text + ": the device has no memory left; use a smaller --box or fewer --boxes");
    case CL_OUT_OF_RESOURCES:
      throw LimitError(
          text +
          ": it needs too many registers or too much local memory for its work-groups; use smaller ones");
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
      throw LimitError(text + "; use smaller tiles, or fewer work-items a group");
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_BUILD_OPTIONS:
      throw UserError(text);
    case CL_COMPILER_NOT_AVAILABLE:
      throw EnvironmentError(
          text + ": the driver comes without its compiler; install it whole, or choose another --device");
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
      throw EnvironmentError(text + "; liftgen machine lists the devices");
    default:
      throw InternalError(text);
  }
}

void check(cl_int status, const std::string& what) {
  if (status != CL_SUCCESS) fail(status, what);
}

Found choose_device(int index) {
  const std::vector<Found> found = find_devices();
  if (index < 0) {
    for (const auto& device : found)
      if (device.info.gpu) return device;
    return found.front();
  }
  if (static_cast<std::size_t>(index) < found.size()) return found[static_cast<std::size_t>(index)];
  std::string text = "there is no OpenCL device " + std::to_string(index) + "; choose with --device from";
  for (const auto& device : found)
    text += (device.info.index > 0 ? ", " : " ") + std::to_string(device.info.index) + " (" +
            device.info.name + ")";
  throw EnvironmentError(text);
}

bool is_open() {
  if (opened_here || ::dlsym(RTLD_DEFAULT, "clGetPlatformIDs") != nullptr) return true;
  void* library = ::dlopen(loader().c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library != nullptr) ::dlclose(library);
  return library != nullptr;
}

std::vector<GridDeviceInfo> devices() {
  const auto find = [] {
    std::vector<GridDeviceInfo> infos;
    for (auto& found : find_devices()) infos.push_back(std::move(found.info));
    return infos;
  };
  return is_open() ? find() : found_apart(find, "an OpenCL driver");
}

std::string why_unavailable() {
  try {
    (void)devices();
    return "";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

void configure_pocl(int threads) {
  if (threads <= 0) threads = default_threads();
  for (const char* name : {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"})  // before and since 4.0
    set_in_workers(name, std::to_string(threads));
}

}  // namespace lift::opencl
