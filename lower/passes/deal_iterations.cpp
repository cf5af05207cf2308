// Which iterations of a loop over the grid an item takes. One each, where there are enough items; else item w
// of n takes w, w + n, ..., so that neighbours still access neighbours.
#include "lower/loops/visit.hpp"
#include "lower/passes/grids.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

void deal(For& f, const NDRange& range) {
  const auto trips = (f.upper - f.lower).constant();
  const auto items = static_cast<std::int64_t>(extent(range, {f.kind, f.dim}));
  if (f.items == 0 || (trips && *trips <= f.items)) {
    f.surplus = !trips || *trips < items;
    return;
  }
  // All items of a launch take part where the grid is larger, but a group's own are told apart by number.
  f.dealt = f.kind == LoopKind::Lcl ? f.items : items;
  f.surplus = f.dealt < items;
}

}  // namespace

Block deal_iterations(const Launch& l) {
  return rebuild(l.body, [&](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v); f && f->kind >= LoopKind::Glb) deal(*f, l.range);
    return {std::move(s)};
  });
}

}  // namespace lift
