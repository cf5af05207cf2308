// Inside the runtime: OpenCL's functions as found at run time, its status codes as errors, and its devices.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue: what 1.2 has
#include <CL/cl.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "runtime/opencl.hpp"

namespace lift::opencl {

// clang-format off
#define LIFT_OPENCL_FUNCTIONS(X)                                                                       \
  X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                        \
  X(clCreateContext) X(clReleaseContext) X(clCreateCommandQueue) X(clReleaseCommandQueue)              \
  X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clBuildProgram) X(clGetProgramInfo)      \
  X(clGetProgramBuildInfo) X(clReleaseProgram)                                                         \
  X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg) X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) \
  X(clCreateBuffer) X(clReleaseMemObject)                                                              \
  X(clEnqueueWriteBuffer) X(clEnqueueReadBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer)         \
  X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)                                                     \
  X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList)                                       \
  X(clEnqueueNDRangeKernel) X(clFlush) X(clFinish)                                                      \
  X(clGetEventInfo) X(clGetEventProfilingInfo) X(clReleaseEvent)
// clang-format on

struct Api {
#define LIFT_DECLARE(name) decltype(&::name) name = nullptr;
  LIFT_OPENCL_FUNCTIONS(LIFT_DECLARE)
#undef LIFT_DECLARE
};

/// The functions; EnvironmentError when there is no loader.
const Api& api();

/// "CL_OUT_OF_RESOURCES"
std::string status_name(cl_int status);

/// Throws the error that this status means; see opencl.hpp.
[[noreturn]] void fail(cl_int status, const std::string& what);
void check(cl_int status, const std::string& what);

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

struct Found {
  cl_platform_id platform;
  cl_device_id device;
  GridDeviceInfo info;
};

/// The device of this index; -1: the first GPU, else the first.
Found choose_device(int index);

}  // namespace lift::opencl
