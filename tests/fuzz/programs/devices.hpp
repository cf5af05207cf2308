// Cases that do not run as a function of this process: on devices over a grid, and as programs of their own.
#pragma once

#include "tests/fuzz/programs/batch.hpp"

namespace lift::fuzz {

/// A part of the largest element by which results may differ: where sums are in another order.
double tolerance_of(const Case& c, const Data& data);

/// A case for a device, and what goes into it.
struct OnDevice {
  Case made;
  std::shared_ptr<const Data> data;
};
/// CUDA on the host, OpenCL on a device (unknown where there is none), those of a target compiled together.
std::vector<Outcome> on_devices(const std::vector<OnDevice>& cases);
Outcome on_device(const Case& c, const Data& data);
/// Kernel and the caller that is emitted with it, under sanitizers.
Outcome stand_alone(const Case& c, const std::filesystem::path& folder);

}  // namespace lift::fuzz
