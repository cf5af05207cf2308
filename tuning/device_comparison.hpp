// Results compared where they are: a device reads what a kernel has left and what is expected, and only how
// far they are apart is copied to the host. As difference.hpp, which says what counts.
#pragma once

#include <map>
#include <optional>

#include "ir/target.hpp"
#include "runtime/grid_device.hpp"
#include "tuning/difference.hpp"
#include "tuning/expected.hpp"

namespace lift {

class DeviceComparison {
 public:
  /// `device` outlives it.
  explicit DeviceComparison(GridDevice& device) : device_(&device) {}

  /// Whether this device compares elements of this type: where memory is its own, and f64 is there to compute
  /// in.
  bool applies(Scalar type) const;
  /// `got`: in the caller's layout, of the expected result's type. What is expected is copied to the device
  /// the first time; nothing where there is no room for it.
  std::optional<Difference> compare(Target language, const GridMemory& got, const Expected& expected,
                                    double tolerance);
  /// What is expected has changed, or the device's process has.
  void forget() { there_.clear(), differences_ = nullptr; }

  /// The kernels that it launches, in the language of a target.
  static std::string source(Target language);

 private:
  GridMemory there(const void* data, std::size_t bytes);

  GridDevice* device_;
  std::map<const void*, GridMemory> there_;  ///< by where it lies on the host
  GridMemory differences_;                   ///< four numbers an item
};

}  // namespace lift
