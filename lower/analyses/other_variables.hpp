// Positions as another iteration has them: variables of loops that need not be the same there.
#pragma once

#include <map>
#include <vector>

#include "ir/nat/nat_atoms.hpp"

namespace lift {

using Renamed = std::map<const NatAtom*, Nat>;

/// A fresh variable of the range of one that is bounded above (all but sizes), whose ends may mention
/// variables that have been renamed.
Nat renamed(const NatAtom& v, const Renamed& others);

/// A position with other variables in place of those of loops within, from the outermost on, and of what is
/// computed in these.
std::vector<Nat> with_other_inner(const std::vector<Nat>& position, const std::vector<const NatAtom*>& inner);

}  // namespace lift
