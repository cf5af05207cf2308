#include "tuning/target_here.hpp"

#include <algorithm>

#include "runtime/affinity.hpp"
#include "runtime/cuda.hpp"
#include "runtime/opencl.hpp"

namespace lift {

Target target_here() {
  const OriginalAffinity affinity;  // for the drivers' threads
  if (cuda::why_unavailable().empty()) return Target::cuda;
  try {
    const std::vector<GridDeviceInfo> all = opencl::devices();
    if (std::any_of(all.begin(), all.end(), [](const GridDeviceInfo& d) { return d.gpu; }))
      return Target::opencl;
  } catch (const EnvironmentError&) {  // no OpenCL
  }
  return Target::openmp;
}

}  // namespace lift
