// Where the values of lets go: said by the expression alone, before anything is translated. with_storage
// marks what is left open; translation then does as it reads.
#pragma once

#include "ir/expr/layout.hpp"

namespace lift {

struct Destination {
  enum class Kind : std::uint8_t {
    None,       ///< nowhere: a way of looking at other values
    Own,        ///< arrays of its own, where to_private, to_local or to_global says, and in `layout`
    Result,     ///< where the result goes, which is made of it by structural primitives
    Base,       ///< over the array that it updates in place
    Update,     ///< where `component` of the result, an update in place, puts its block: the value
    Component,  ///< where `component` of the result goes, which is the value
    Open,       ///< not said: with_storage marks it, or leaves it so for what is kept in variables
  };
  Kind kind = Kind::Open;
  std::size_t component = 0;
  LayoutRequest layout = {};
};

/// Of `value` in let x = value in (fn x). UserError for an update in place in a layout of its own.
Destination destination_of(const Expr& value, const Expr& fn);

}  // namespace lift
