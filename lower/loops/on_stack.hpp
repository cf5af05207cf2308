// How large an array on a stack may be: a bound for every backend.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Bytes of an array of a kernel's own that lies on a stack, of a thread or of a work-item. What is larger
/// has its place in memory: a work array, or a part of a thread's scratch.
constexpr std::int64_t kMostOnStack = std::int64_t{32} * 1024;

inline Nat bytes_of(const Allocate& a) {
  return Layout({}, a.type).size() * static_cast<std::int64_t>(size_of(element_of(a.type).scalar()));
}
/// Or may be, where its length is not known.
inline bool is_larger(const Allocate& a, std::int64_t bytes) {
  const auto own = bytes_of(a).constant();
  return !own || *own > bytes;
}

/// UserError where an array on a stack is larger than kMostOnStack.
void check_on_stack(const Kernel& k);

}  // namespace lift
