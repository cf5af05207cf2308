// Inside the runtime: the functions of CUDA's driver as found at run time, and its status codes as errors.
// Declared here as the driver's ABI has them, so that nothing of CUDA is needed to build.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/grid_device.hpp"

namespace lift::cuda {

using Status = int;   ///< CUresult
using Ordinal = int;  ///< CUdevice
using Address = unsigned long long;
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;
using Graph = struct GraphHandle*;
using GraphExec = struct GraphExecHandle*;

// clang-format off
/// X(name, symbol, parameters): symbols are those of the present versions, as cuda.h maps them.
#define LIFT_CUDA_FUNCTIONS(X)                                                                                     \
  X(init, "cuInit", (unsigned))                                                                                    \
  X(driver_version, "cuDriverGetVersion", (int*))                                                                  \
  X(error_name, "cuGetErrorName", (Status, const char**))                                                          \
  X(error_text, "cuGetErrorString", (Status, const char**))                                                        \
  X(device_count, "cuDeviceGetCount", (int*))                                                                      \
  X(device_get, "cuDeviceGet", (Ordinal*, int))                                                                    \
  X(device_name, "cuDeviceGetName", (char*, int, Ordinal))                                                         \
  X(device_memory, "cuDeviceTotalMem_v2", (std::size_t*, Ordinal))                                                 \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, Ordinal))                                                \
  X(context_retain, "cuDevicePrimaryCtxRetain", (Context*, Ordinal))                                               \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", (Ordinal))                                                    \
  X(context_reset, "cuDevicePrimaryCtxReset_v2", (Ordinal))                                                        \
  X(context_push, "cuCtxPushCurrent_v2", (Context))                                                                \
  X(context_pop, "cuCtxPopCurrent_v2", (Context*))                                                                 \
  X(memory_info, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                                  \
  X(allocate, "cuMemAlloc_v2", (Address*, std::size_t))                                                            \
  X(release, "cuMemFree_v2", (Address))                                                                            \
  X(to_device, "cuMemcpyHtoDAsync_v2", (Address, const void*, std::size_t, Stream))                                \
  X(to_host, "cuMemcpyDtoHAsync_v2", (void*, Address, std::size_t, Stream))                                        \
  X(on_device, "cuMemcpyDtoDAsync_v2", (Address, Address, std::size_t, Stream))                                    \
  X(set_bytes, "cuMemsetD8Async", (Address, unsigned char, std::size_t, Stream))                                   \
  X(set_shorts, "cuMemsetD16Async", (Address, unsigned short, std::size_t, Stream))                                \
  X(set_words, "cuMemsetD32Async", (Address, unsigned, std::size_t, Stream))                                       \
  X(stream_create, "cuStreamCreate", (Stream*, unsigned))                                                          \
  X(stream_destroy, "cuStreamDestroy_v2", (Stream))                                                                \
  X(stream_wait, "cuStreamSynchronize", (Stream))                                                                  \
  X(stream_follow, "cuStreamWaitEvent", (Stream, Event, unsigned))                                                 \
  X(event_create, "cuEventCreate", (Event*, unsigned))                                                             \
  X(event_destroy, "cuEventDestroy_v2", (Event))                                                                   \
  X(event_record, "cuEventRecord", (Event, Stream))                                                                \
  X(event_elapsed, "cuEventElapsedTime", (float*, Event, Event))                                                   \
  X(module_load, "cuModuleLoadDataEx", (Module*, const void*, unsigned, int*, void**))                             \
  X(module_unload, "cuModuleUnload", (Module))                                                                     \
  X(module_function, "cuModuleGetFunction", (Function*, Module, const char*))                                      \
  X(function_attribute, "cuFuncGetAttribute", (int*, int, Function))                                               \
  X(set_function_attribute, "cuFuncSetAttribute", (Function, int, int))                                            \
  X(launch, "cuLaunchKernel", (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                               Stream, void**, void**))
/// Those of drivers from CUDA 11.4 on: all of them are there, or none is used.
#define LIFT_CUDA_GRAPH_FUNCTIONS(X)                                                                               \
  X(capture_begin, "cuStreamBeginCapture_v2", (Stream, int))                                                       \
  X(capture_end, "cuStreamEndCapture", (Stream, Graph*))                                                           \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (GraphExec*, Graph, unsigned long long))                     \
  X(graph_launch, "cuGraphLaunch", (GraphExec, Stream))                                                            \
  X(graph_destroy, "cuGraphDestroy", (Graph))                                                                      \
  X(graph_exec_destroy, "cuGraphExecDestroy", (GraphExec))
// clang-format on

struct Api {
#define LIFT_DECLARE(name, symbol, parameters) Status(*name) parameters = nullptr;
  LIFT_CUDA_FUNCTIONS(LIFT_DECLARE)
  LIFT_CUDA_GRAPH_FUNCTIONS(LIFT_DECLARE)
#undef LIFT_DECLARE
  bool has_graphs = false;
  /// Offset and size of a parameter of a kernel; null in drivers before 12.4.
  Status (*parameter_info)(Function, std::size_t, std::size_t*, std::size_t*) = nullptr;
  int driver = 0;  ///< the newest CUDA it knows: 1000 * major + 10 * minor
};

/// The driver (driver_libraries), initialised; EnvironmentError with the remedy when there is none,
/// or no device.
const Api& api();

enum : Status {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kNoBinaryForDevice = 209,
  kInvalidPtx = 218,
  kNoJitCompiler = 221,
  kUnsupportedPtx = 222,
  kJitDisabled = 223,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kLaunchFailed = 719,
  kNotPermitted = 800,
  kSystemNotReady = 802,
  kDriverMismatch = 803,
  kCompatNotSupported = 804,
  kUnknown = 999,
};

/// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
std::string describe(const Api& api, Status status);
/// After these the context is of no use any more, and nothing on it succeeds.
bool is_sticky(Status status);
/// Throws the error that this status means; see grid_device.hpp.
[[noreturn]] void fail(Status status, const std::string& what);
void check(Status status, const std::string& what);

/// "12.4"
std::string version_text(int version);

struct Found {
  Ordinal device = 0;
  int compute = 0;  ///< capability: 10 * major + minor
  GridDeviceInfo info;
};
/// All devices in the driver's order; EnvironmentError when there is none.
std::vector<Found> find_devices();

/// See cuda.hpp.
bool is_open();

}  // namespace lift::cuda
