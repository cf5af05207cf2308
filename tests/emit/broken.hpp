// Kernels broken on purpose.
#pragma once

#include <doctest/doctest.h>

#include <functional>

#include "lower/loops/loop.hpp"

namespace lift::test {

/// Replaces the n-th statement that `matches`.
inline Kernel changed(const Kernel& k, int n, const std::function<bool(const Stmt&)>& matches,
                      const std::function<Block(Stmt)>& change) {
  int found = 0;
  Kernel r = k;
  r.body = rebuild(k.body, [&](Stmt s) -> Block {
    if (!matches(s) || found++ != n) return {s};
    return change(std::move(s));
  });
  REQUIRE(found > n);
  return r;
}
inline bool is_barrier(const Stmt& s) { return std::holds_alternative<Barrier>(s.v); }
inline Kernel without_barrier(const Kernel& k, int n) {
  return changed(k, n, is_barrier, [](Stmt) { return Block{}; });
}

}  // namespace lift::test
