#include "rewrite/nest.hpp"

#include "ir/ops.hpp"

namespace lift {
namespace {

/// The child through which the result's elements are computed; nothing where the way ends.
std::optional<int> onwards(const Expr& e) {
  switch (e.op()) {
    case Op::Update:
    case Op::UpdateInPlace:
    case Op::Let: return 1;
    case Op::Join:
    case Op::Split:
    case Op::Drop:
    case Op::Transpose:
    case Op::Interleave:
    case Op::Concat:
    case Op::Tuple:
    case Op::Lambda:
    case Op::Apply: return 0;
    default: return is_identity(e.op()) ? std::optional(0) : std::nullopt;
  }
}

}  // namespace

Nest main_nest(const Expr& body) { return main_nest(body, {}); }

Nest main_nest(const Expr& body, const Place& start) {
  Nest nest;
  Expr e = part_at(body, start);
  Place place = start;
  const auto descend = [&](int child) {
    place.push_back(child);
    e = e.child(static_cast<std::size_t>(child));
  };
  for (;;) {
    if (is_map(e.op())) {
      nest.levels.push_back({place, shape_of(e.type(), static_cast<int>(e.attr().ints[0]))});
      if (!e.child(0).is(Op::Lambda) || !e.child(0).type().result().is_array()) return nest;
      descend(0);
      descend(0);
      continue;
    }
    const auto next = onwards(e);
    if (!next || (e.is(Op::Apply) && !e.child(0).is(Op::Lambda))) return nest;
    if (is_update(e.op())) nest.update = place, nest.above_update = nest.levels.size();
    descend(*next);
  }
}

}  // namespace lift
