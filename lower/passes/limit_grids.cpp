// A grid has few groups in all but its first dimension: of longer loops, items and groups take the iterations
// in turn.
#include <algorithm>

#include "lower/passes/passes.hpp"

namespace lift {

Block limit_grids(const Block& b) {
  static constexpr int kMost = 65535;  // of CUDA, in dimensions 1 and 2
  return rebuild(b, [](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || (f->kind != LoopKind::Glb && f->kind != LoopKind::Wrg) || f->dim == 0) return {std::move(s)};
    const Nat trips = f->upper - f->lower;
    const auto bound = trips.constant() ? trips.constant() : Facts().bounds(trips).upper;
    if (bound && *bound > kMost) f->items = f->items > 0 ? std::min(f->items, kMost) : kMost;
    return {std::move(s)};
  });
}

}  // namespace lift
