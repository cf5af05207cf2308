// Two arrays that should hold the same numbers, up to rounding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/expr/type.hpp"

namespace lift {

/// Bytes that no kernel writes: an f32 and an f64 that are NaN with a payload of its own, an unlikely i32, no
/// bool. What is to be written is filled with them, so that what was not written shows.
constexpr std::uint32_t kPoison = 0xfff5beefU;
void poison(void* to, std::size_t bytes);

struct Difference {
  double error = 0;   ///< for people: the largest |a - b| / max(|b|, mean |b|); infinite where only one of
                      ///< the two is a number, or they are different infinities
  double excess = 0;  ///< the largest |a - b| over what is allowed there
  std::int64_t unwritten = 0;   ///< elements that still hold the poison
  std::int64_t no_numbers = 0;  ///< NaN and infinite elements of b
  std::int64_t elements = 0;
  bool right() const { return excess <= 1 && unwritten == 0; }
};

/// Of n elements each; `bounds` (null: none) says how far each may be from b, `tolerance` is what holds where
/// there is no finite bound: that part of max(|b|, mean).
Difference difference(Scalar type, const void* a, const void* b, const float* bounds, std::int64_t n,
                      double mean, double tolerance);

/// The two together, of several arrays.
Difference worse(const Difference& a, const Difference& b);

}  // namespace lift
