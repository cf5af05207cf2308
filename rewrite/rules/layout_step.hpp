// The step of a derivation that stores all arrays of a program in a layout.
#pragma once

#include "ir/expr/layout.hpp"
#include "rewrite/engine/derivation.hpp"

namespace lift {

Step layout_step(const LayoutRequest& r);
/// That all arrays are in; the caller's where no step says otherwise.
LayoutRequest layout_by(const Derivation& d);

}  // namespace lift
