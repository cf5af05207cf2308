// Positions that move with a loop: how many iterations apart two of them are.
#pragma once

#include <span>

#include "ir/nat/nat.hpp"

namespace lift {

/// The position that another one is `shift` iterations later.
struct ShiftedPosition {
  std::vector<Nat> origin;
  std::int64_t shift = 0;
};
/// Of a position affine in `variable`, which advances by `step` an iteration, and moving with it: the same
/// origin for all that are a whole number of iterations apart. Nothing for others.
std::optional<ShiftedPosition> shifted(std::span<const Nat> position, const Nat& variable,
                                       const Nat& step = 1);

}  // namespace lift
