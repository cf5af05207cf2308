// The variant of a program that is taken when nobody has explored it.
#pragma once

#include "lower/lower.hpp"
#include "rewrite/engine/derivation.hpp"
#include "runtime/grid_device.hpp"

namespace lift {

/// What a kernel is for; the limits of the device, where there is one.
struct TargetDevice {
  Target target = Target::openmp;
  const GridDeviceInfo* device = nullptr;
};

/// How a program is computed, and the kernel.
struct ChosenVariant {
  Derivation derivation;
  Kernel kernel;
};

/// Lengths may be symbolic. The first of the space's best guesses that this program admits with all arrays in
/// `layout`: parallel and vectorised where it can be, on processors by one thread where there is little to
/// do. When the program names an overwritable argument, one that overwrites it if any does. A program that
/// fits no space is computed as it is written, by one thread or work-item. UserError when it cannot be
/// lowered at all.
ChosenVariant default_variant(const Program& program, const LayoutRequest& layout = kCallersLayout,
                              const TargetDevice& on = {});

/// By a given derivation; UserError naming the step that does not apply.
ChosenVariant variant_by(const Program& program, const Derivation& derivation, const TargetDevice& on = {});

}  // namespace lift
