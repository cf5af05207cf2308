// The cases of a position that pads have chosen: where a minimum, maximum or remainder in it depends on which
// side of a boundary the written element is, one case for each side. What proofs about loads go through.
#pragma once

#include <map>

#include "rewrite/analysis/written_element.hpp"

namespace lift {

/// One case: what the position is where `facts` hold.
struct PositionCase {
  std::vector<Nat> position;
  Facts facts;
  std::vector<bool> wrapped;  ///< a dimension: the position went once around a periodic boundary
};
/// All that can occur under `facts`; together they cover every value of the variables. Remainders without
/// finitely many cases that can be proved stay as they are, and so does all that is left after the 1000th
/// case.
std::vector<PositionCase> cases_of(const std::vector<Nat>& position, const Facts& facts);

/// The terms that a walk has been at, each under the conditions of the selects around it.
class SeenUnder {
 public:
  /// Whether the walk comes to a term under these conditions for the first time. UserError at the 10,001st: a
  /// term of n selects within each other may be looked at under 2^n conditions.
  bool first(const Term& t, const Facts& facts);

 private:
  std::map<std::uint32_t, std::vector<std::vector<NatCond>>> seen_;
  int times_ = 0;
};

/// Whether it is proved that `w` does not write the element at position p of the array that it writes: p lies
/// outside what is written, or the guard forbids it. The variables of p may be another element's, of which
/// `facts` hold.
bool never_writes(const WrittenElement& w, const std::vector<Nat>& p, const Facts& facts);

}  // namespace lift
