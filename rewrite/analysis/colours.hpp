// Colours: cells that a guard tells apart by their position modulo a number, as half-sweeps do.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/nat/nat.hpp"

namespace lift {

struct Colours {
  std::int64_t modulus = 0;  ///< of the guard on the innermost index; 0: none
  std::int64_t axes = 0;     ///< modulo 2 over the sum of so many innermost indices; 0: not so
};

/// The guard's modulus, when stepping by it in the innermost of these indices keeps the guard's value and
/// nothing smaller does.
Colours colours_of(const std::vector<NatCond>& guard, const std::vector<Nat>& index);

}  // namespace lift
