// Intervals of symbolic integers from the ranges of their variables alone: computed once, when a Nat is made,
// from those of its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lift {

/// Constant bounds, inclusive; absent = unknown.
struct NatInterval {
  std::optional<std::int64_t> lower, upper;
};

struct NatAtom;
struct NatTerm;

namespace detail {

/// Bounds beyond this are taken for unknown, so that arithmetic with them does not overflow.
constexpr std::int64_t large = std::int64_t{1} << 60;

NatInterval interval_of(const NatAtom& a);
NatInterval interval_of(std::span<const NatTerm> terms);

}  // namespace detail
}  // namespace lift
