#include "tuning/cost/counted_traffic.hpp"

#include <algorithm>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "runtime/cuda_host.hpp"
#include "tuning/grid_launches.hpp"

namespace lift {
namespace {

constexpr double kTimeout = 600;  // s

/// A number, as the kernel takes it.
GridArg number(Scalar s) {
  if (s == f64) return GridArg(0.125);
  if (s == f32) return GridArg(0.125F);
  return GridArg(std::int32_t{0});
}

void fill(GridDevice& device, const GridMemory& memory, Scalar s) {
  if (s == f64)
    device.fill(memory, 0.25);
  else if (s == f32)
    device.fill(memory, 0.25F);
  else
    device.fill(memory, std::uint8_t{0});
}

}  // namespace

std::vector<cuda_host::LaunchTraffic> counted_traffic(const Kernel& kernel, NativeCompiler& compiler) {
  std::vector<cuda_host::LaunchTraffic> found;
  CudaHostOptions options;
  options.traffic = &found, options.timeout_seconds = kTimeout;
  const auto device = make_cuda_host_device(compiler, options);
  const GridBuild built = device->build(emit_source(kernel));
  if (!built.program) throw InternalError("counting traffic: " + built.error);
  std::vector<GridArg> arguments;
  for (const KernelArgument& a : kernel.arguments) {
    if (!a.type.is_array()) {
      arguments.push_back(number(a.type.scalar()));
      continue;
    }
    const Scalar s = element_of(a.type).scalar();
    const GridMemory memory =
        device->allocate(static_cast<std::size_t>(*a.layout.size().constant()) * size_of(s));
    fill(*device, memory, s);
    arguments.emplace_back(memory);
  }
  device->run(called(kernel, grid_launches(kernel, *built.program), arguments));
  return found;
}

cuda_host::LaunchTraffic total(const std::vector<cuda_host::LaunchTraffic>& launches) {
  cuda_host::LaunchTraffic all;
  for (const cuda_host::LaunchTraffic& l : launches) {
    all.kernel += (all.kernel.empty() ? "" : ", ") + l.kernel;
    all.arrays.insert(all.arrays.end(), l.arrays.begin(), l.arrays.end());
    all.blocks = std::max(all.blocks, l.blocks), all.threads = std::max(all.threads, l.threads);
    all.shared_bytes = std::max(all.shared_bytes, l.shared_bytes);
  }
  return all;
}

}  // namespace lift
