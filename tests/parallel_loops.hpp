// Which loops of a kernel threads share.
#pragma once

#include "lower/loops/visit.hpp"

namespace lift::test {

inline int parallel_loops(const Kernel& k) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    n += f && f->kind == LoopKind::Par;
  });
  return n;
}

}  // namespace lift::test
