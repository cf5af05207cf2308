// A program under derivation: rules are applied one after the other, and the steps kept. Places move by what
// lies there, not by child numbers.
#pragma once

#include "rewrite/analysis/nest.hpp"
#include "rewrite/engine/strategy.hpp"

namespace lift {

// ---- moves from a place to a part of what is there

Place body_of(Place map);                ///< what a map's function, a reduction's or a scan's returns
Place argument_of(Place map);            ///< the array that a map goes over
Place array_of(Place reduction);         ///< the array that a reduction or a scan goes over
Place initial_of(Place reduction);       ///< what a reduction or a scan begins with
Place content_of(Place wrapped);         ///< what a join, drop, transpose, to_local, ... is of
Place let_value(Place let);              ///< the value with a name
Place let_body(Place let);               ///< the expression that the name is for
Place component_of(Place tuple, int n);  ///< of a tuple or zip
Place below(const Place& around, const Place& place);  ///< a place within a part, in the whole

class Deriver {
 public:
  explicit Deriver(Rewriting start) : now_(std::move(start)) {}
  void step(const std::string& rule, const Place& place) { step(rule, {}, place); }
  void step(const std::string& rule, const Arguments& arguments, const Place& place);
  /// False where the rule does not apply.
  bool try_step(const std::string& rule, const Arguments& arguments, const Place& place);
  bool try_step(const std::string& rule, const Place& place) { return try_step(rule, {}, place); }

  const Program& program() const { return now_.program; }
  Expr part(const Place& place) const { return part_at(now_.program.body, place); }
  const Rewriting& result() const { return now_; }

  /// From now on the main nest is the one below this place: that of one of several sweeps.
  void start_at(const Place& place) { start_ = place; }
  const Place& start() const { return start_; }
  Nest nest() const { return main_nest(now_.program.body, start_); }
  /// Every map on the way becomes loops over one dimension.
  void nest_all();
  Place level(std::size_t i) const { return nest().levels.at(i).place; }

 private:
  Rewriting now_;
  Place start_;
};

/// The first part, outside in, for which p holds; false when there is none.
bool find_place(const Expr& e, const std::function<bool(const Expr&)>& p, Place& at);
/// Places of expressions of one op below a place, outer before inner.
std::vector<Place> places_of(const Deriver& d, const Place& below, Op op);

}  // namespace lift
