#include "lower/translate/destination.hpp"

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "lower/translate/route.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {

Destination destination_of(const Expr& value, const Expr& fn) {
  using Kind = Destination::Kind;
  if (!computes(value)) return {Kind::None};
  const LayoutRequest layout = asked_layout(value);
  if (is_placed(value)) return {Kind::Own, 0, layout};
  if (!(layout == LayoutRequest{})) {
    if (overwrites_base(value))
      throw UserError(
          "layout: an update in place lies where its base lies; give the layout to the base, or leave it "
          "out");
    return {Kind::Own, 0, layout};
  }
  const Acceptor result = any_place(fn.child(0).type());
  if (place_in_result(fn, result)) return {Kind::Result};
  if (overwrites_base(value)) return {Kind::Base};
  if (const auto i = updated_with(fn)) return {Kind::Update, *i};
  if (const auto c = component_in_result(fn, result)) return {Kind::Component, c->index};
  return {value.is(Op::ToGlobal) ? Kind::Own : Kind::Open};
}

}  // namespace lift
