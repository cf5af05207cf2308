// The variant of a program that is taken when nobody has explored it.
#pragma once

#include "lower/lower.hpp"
#include "rewrite/engine/derivation.hpp"

namespace lift {

/// How a program is computed, and the kernel.
struct ChosenVariant {
  Derivation derivation;
  Kernel kernel;
};

/// Lengths may be symbolic. The first of the space's best guesses that this program admits with all arrays in
/// `layout`: parallel and vectorised where it can be, by one thread where there is little to do.
/// When the program names an overwritable argument, one that overwrites it if any does. A program that fits
/// no space is computed as it is written, by one thread. UserError when it cannot be lowered at all.
ChosenVariant default_variant(const Program& program, const LayoutRequest& layout = kCallersLayout);

/// By a given derivation; UserError naming the step that does not apply.
ChosenVariant variant_by(const Program& program, const Derivation& derivation);

}  // namespace lift
