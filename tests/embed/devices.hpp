// The devices that tests of C++ programs run on.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "embed/device.hpp"
#include "runtime/opencl.hpp"

namespace lift::test {

/// CUDA on the host, and OpenCL where there is a driver.
inline std::vector<Device> devices() {
  std::vector<Device> all{Device::emulated_cuda()};
  if (const std::string why = opencl::why_unavailable(); why.empty())
    all.emplace_back(Target::opencl);
  else
    MESSAGE("without OpenCL: " << why);
  return all;
}

}  // namespace lift::test
