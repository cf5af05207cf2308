#include "runtime/cuda_api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>

#include "ir/limit_error.hpp"
#include "runtime/cuda_places.hpp"

namespace lift::cuda {
namespace {

constexpr const char* kRemedy =
    "; install NVIDIA's driver for the device (Debian, non-free: apt-get install nvidia-driver libcuda1) and "
    "load its modules, or check "
    "kernels on the processor with --emulate";

/// CU_DEVICE_ATTRIBUTE_...
enum DeviceAttribute {
  kMaxThreads = 1,
  kMaxBlock = 2,
  kMaxGrid = 5,
  kLocalBytes = 8,
  kWarp = 10,
  kRegisters = 12,
  kMultiprocessors = 16,
  kCacheBytes = 38,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kLocalBytesOptIn = 97,
};

std::string with_number(Status status) { return "CUDA status " + std::to_string(status); }

/// What cuInit says, in terms of what to do.
[[noreturn]] void fail_to_start(const Api& api, Status status, const std::string& library) {
  const std::string text = describe(api, status);
  switch (status) {
    case kNoDevice:
      throw EnvironmentError("no CUDA device: " + text + std::string(kRemedy));
    case kStubLibrary:
      throw EnvironmentError("no CUDA driver: " + library +
                             " is the toolkit's stub, for linking only; let $LIFTGEN_CUDA_LIBRARY name the "
                             "driver's libcuda.so.1");
    case kDriverMismatch:
      throw EnvironmentError(
          "the CUDA driver does not start: " + text +
          ": its library and its kernel module differ; load the module that belongs to it (a restart does)");
    default:
      throw EnvironmentError("the CUDA driver does not start: " + text +
                             "; does nvidia-smi list the device, and may this user open /dev/nvidia*?");
  }
}

std::atomic<bool> opened_here = false;

struct Library {
  std::string name;
  void* handle = nullptr;
};
/// The first driver that can be opened; those of another architecture lie in such folders, too.
Library open_library() {
  const std::vector<std::string> names = driver_libraries();
  for (const std::string& name : names)
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return {name, handle};
  throw EnvironmentError("no CUDA driver: " + names.front() + " cannot be opened" + std::string(kRemedy));
}

Api open_api() {
  const auto [name, library] = open_library();
  Api api;
#define LIFT_RESOLVE(name, symbol, parameters)                                 \
  api.name = reinterpret_cast<Status(*) parameters>(::dlsym(library, symbol)); \
  if (api.name == nullptr)                                                     \
    throw EnvironmentError("the CUDA driver lacks " symbol ": it is older than CUDA 11; update it");
  LIFT_CUDA_FUNCTIONS(LIFT_RESOLVE)
#undef LIFT_RESOLVE
  api.has_graphs = true;
#define LIFT_RESOLVE(name, symbol, parameters)                                 \
  api.name = reinterpret_cast<Status(*) parameters>(::dlsym(library, symbol)); \
  api.has_graphs = api.has_graphs && api.name != nullptr;
  LIFT_CUDA_GRAPH_FUNCTIONS(LIFT_RESOLVE)
#undef LIFT_RESOLVE
  api.parameter_info = reinterpret_cast<decltype(api.parameter_info)>(::dlsym(library, "cuFuncGetParamInfo"));
  if (const Status status = api.init(0); status != kSuccess) fail_to_start(api, status, name);
  if (api.driver_version(&api.driver) != kSuccess) api.driver = 0;
  return api;
}

int attribute(Ordinal device, int what) {
  int value = 0;
  return api().device_attribute(&value, what, device) == kSuccess ? value : 0;
}
std::size_t size_attribute(Ordinal device, int what) {
  return static_cast<std::size_t>(std::max(attribute(device, what), 0));
}

Found describe_device(int index) {
  Found found;
  check(api().device_get(&found.device, index), "cuda: device " + std::to_string(index));
  char name[256] = "";
  check(api().device_name(name, sizeof name, found.device), "cuda: device " + std::to_string(index));
  const Ordinal device = found.device;
  found.compute = 10 * attribute(device, kComputeMajor) + attribute(device, kComputeMinor);
  GridDeviceInfo& info = found.info;
  info.index = index, info.platform = "NVIDIA CUDA", info.name = name;
  info.version = "sm_" + std::to_string(found.compute), info.driver = "CUDA " + version_text(api().driver);
  info.gpu = info.f64 = true;
  info.compute_units = attribute(device, kMultiprocessors);
  info.warp = attribute(device, kWarp);
  info.max_work_group = size_attribute(device, kMaxThreads);
  for (int d = 0; d < 3; ++d) {
    info.max_work_items[static_cast<std::size_t>(d)] = size_attribute(device, kMaxBlock + d);
    info.max_groups[static_cast<std::size_t>(d)] = size_attribute(device, kMaxGrid + d);
  }
  info.local_bytes = size_attribute(device, kLocalBytes);
  info.max_local_bytes = std::max(info.local_bytes, size_attribute(device, kLocalBytesOptIn));
  info.local_is_dedicated = true;
  info.registers = attribute(device, kRegisters);
  check(api().device_memory(&info.global_bytes, device), "cuda: device " + std::to_string(index));
  info.max_allocation = info.global_bytes;
  info.cache_bytes = size_attribute(device, kCacheBytes);
  return found;
}

}  // namespace

bool is_open() {
  if (opened_here) return true;
  for (const std::string& name : driver_libraries())
    if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return ::dlclose(library), true;
  return false;
}

const Api& api() {
  static const Api opened = open_api();  // tried again after a failure
  opened_here = true;
  return opened;
}

std::string describe(const Api& api, Status status) {
  const char *name = nullptr, *text = nullptr;
  if (api.error_name(status, &name) != kSuccess || name == nullptr) return with_number(status);
  if (api.error_text(status, &text) != kSuccess || text == nullptr) return name;
  return std::string(name) + " (" + text + ")";
}

bool is_sticky(Status status) {
  return status == 214 || status == 220 || status == 226 || status == kIllegalAddress ||
         status == kLaunchTimeout || (status >= 709 && status <= 710) ||
         (status >= 714 && status <= kLaunchFailed) || status == 721 || status == kUnknown;
}

void fail(Status status, const std::string& what) {
  const std::string text = what + ": " + describe(api(), status);
  if (is_sticky(status)) throw DeviceLost(text);
  switch (status) {
    case kOutOfMemory:
      throw OutOfDeviceMemory(text +
                              "; use a smaller --box or fewer --boxes, or end what else uses the device");
    case kLaunchOutOfResources:
      throw LimitError(
          text +
          ": it needs too many registers or too much local memory for its work-groups; use smaller ones");
    case kNoDevice:
    case kInvalidDevice:
    case kDeviceUnavailable:
    case kNotPermitted:
    case kSystemNotReady:
    case kDriverMismatch:
    case kCompatNotSupported:
      throw EnvironmentError(text + std::string(kRemedy));
    default:
      throw InternalError(text);
  }
}

void check(Status status, const std::string& what) {
  if (status != kSuccess) fail(status, what);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<Found> find_devices() {
  int count = 0;
  check(api().device_count(&count), "cuda: number of devices");
  if (count == 0) throw EnvironmentError("no CUDA device: the driver finds none" + std::string(kRemedy));
  std::vector<Found> found;
  for (int index = 0; index < count; ++index) found.push_back(describe_device(index));
  return found;
}

}  // namespace lift::cuda
