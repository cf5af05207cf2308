// Which iterations of a loop over the grid an item takes. One each, where there are enough items; else item w
// of n takes w, w + n, ..., so that neighbours still access neighbours.
#include "lower/loops/visit.hpp"
#include "lower/passes/grids.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Rounds in which so many items take all iterations, whatever their number is; 0: it is not known, or many.
std::int64_t rounds(const For& f, std::int64_t items) {
  constexpr std::int64_t kFew = 4;
  const Nat iterations = f.upper - f.lower;
  if (const auto n = iterations.constant()) return (*n + items - 1) / items;
  for (std::int64_t n = 1; n <= kFew; ++n)
    if (Facts().proves(less_equal(iterations, n * items))) return n;
  return 0;
}

void deal(For& f, const NDRange& range) {
  const auto trips = (f.upper - f.lower).constant();
  const auto items = static_cast<std::int64_t>(extent(range, {f.kind, f.dim}));
  const bool one_each = trips ? *trips <= f.items : f.most_trips == 1;
  if (f.items == 0 || one_each) {
    f.surplus = !trips || *trips < items;
    return;
  }
  // All items of a launch take part where the grid is larger, but a group's own are told apart by number.
  f.dealt = f.kind == LoopKind::Lcl ? f.items : items;
  if (f.most_trips == 0 && trips) f.most_trips = rounds(f, f.dealt);
  f.surplus = f.dealt < items;
}

}  // namespace

Block bound_trips(const Block& b) {
  return rebuild(b, [&](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Lcl && f->items > 0)
      f->most_trips = rounds(*f, f->items);
    return {std::move(s)};
  });
}

Block deal_iterations(const Launch& l) {
  return rebuild(l.body, [&](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v); f && f->kind >= LoopKind::Glb) deal(*f, l.range);
    return {std::move(s)};
  });
}

}  // namespace lift
