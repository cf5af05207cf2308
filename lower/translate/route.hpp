// Questions about expressions that deciding storage and translation both ask.
#pragma once

#include "ir/expr/layout.hpp"
#include "lower/loops/loop.hpp"
#include "lower/translate/acceptor.hpp"

namespace lift {

/// Whether a value is more than a way of looking at others.
bool computes(const Expr& e);
/// Of to_global, to_local, to_private: the memory in which the value is stored.
std::optional<AddressSpace> memory_of(const Expr& e);
/// Where a value of type t, or one of its components, is kept that says nothing: an array of few scalars is
/// an iteration's own; others, and what several threads or work-items compute, lie in memory.
Op kept(const Type& t, const Expr& value);
/// Whether it says where it is stored, in a place of an iteration's or a group's own.
bool is_placed(const Expr& e);
/// The layout that a value says it is stored in; the caller's where it says nothing. Of values that are ways
/// of looking at arguments it is the arguments' layout, and none here.
LayoutRequest asked_layout(const Expr& value);
/// A scan keeps the element before in scalar variables; else it reads it back from where it was stored.
bool is_carried_in_variables(const Expr& scan);
/// A reduction of few elements becomes copies of its function's body, not a loop.
bool is_unrolled(const Expr& reduce);
/// An iteration of which the function says where its result is stored.
bool stores_steps(const Expr& iterate);
/// Whether a structural primitive hands the place of its value on to its argument; see accept.
bool hands_on(const Expr& e);

/// Where the argument of a function lies when the function's value goes `to` and is made of it by structural
/// primitives alone, each used once; nothing for other functions.
std::optional<Acceptor> place_in_result(const Expr& fn, const Acceptor& to);
/// The component of a function's value, a tuple, that is its argument in this way, and the argument's place:
/// all of it, where anything else reads it.
struct Component {
  std::size_t index;
  Acceptor place;
  bool read;  ///< by anything but the component
};
std::optional<Component> component_in_result(const Expr& fn, const Acceptor& to);
/// The component of a function's value, a tuple, that is an update in place with the function's argument as
/// its block, and whose base is not made of the argument. What comes before it can be written first, or reads
/// nothing of the base.
std::optional<std::size_t> updated_with(const Expr& fn);
/// Whether the components of a tuple before component i can be written before a name gets its value: none
/// reads it, or overwrites what it may be computed from.
bool precede(const Expr& tuple, std::size_t i, const Expr& name);
/// Of what a map goes over, alone or zipped: the scan that is not stored first, so that the map uses each
/// element as it is computed.
std::optional<Expr> scan_gone_over(const Expr& map);
/// Some place for a value of type t: for asking whether there is one.
Acceptor any_place(const Type& t);

}  // namespace lift
