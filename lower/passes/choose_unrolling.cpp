// What the target's compiler is asked to do with each loop. How often the body of a loop is copied is a
// decision (map_unroll); a compiler that copies bodies unasked is told not to, where that may cost registers.
#include <algorithm>

#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t few_trips = 8;  ///< of an item, through the iterations dealt to it
constexpr std::int64_t few_steps =
    16;                    ///< arrays that such loops go through are registers when unrolled only
constexpr int factor = 4;  ///< of a loop whose length is not known

int unrolling(const For& f, const Capabilities& has) {
  const auto trips = (f.upper - f.lower).constant();
  switch (f.kind) {
    case LoopKind::Unroll:
      if (f.width > 1) return f.width;
      if (!trips) return factor;
      return has.most_unrolled == 0 ? whole_loop
                                    : static_cast<int>(std::min<std::int64_t>(*trips, has.most_unrolled));
    case LoopKind::Seq:
    case LoopKind::Vec:
      if (f.kind == LoopKind::Seq && f.width > 1) return f.width;
      return has.unrolls_unasked && trips.value_or(few_steps + 1) > few_steps ? 1 : 0;
    case LoopKind::Glb:
    case LoopKind::Lcl:
      return f.dealt > 0 && f.most_trips > 0 && f.most_trips <= few_trips ? whole_loop : 0;
    case LoopKind::Par:
    case LoopKind::Host:
    case LoopKind::Wrg:
      break;
  }
  return 0;
}

}  // namespace

Block choose_unrolling(const Block& b, Target target) {
  return rebuild(b, [&](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v)) f->unroll = unrolling(*f, capabilities(target));
    return {std::move(s)};
  });
}

}  // namespace lift
