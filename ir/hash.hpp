// Hashes of nodes with several parts.
#pragma once

#include <cstddef>

namespace lift {

/// The hash h of some parts and v of one more.
constexpr std::size_t mix(std::size_t h, std::size_t v) {
  return (h ^ v) * 0x9E3779B97F4A7C15ULL + (h >> 29);
}

}  // namespace lift
