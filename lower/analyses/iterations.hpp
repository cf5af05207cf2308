// Which elements iterations of loops access, and whether statements may change places.
#pragma once

#include <string>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift {

/// An element that an iteration loads or stores.
struct Touched {
  std::string array;
  std::vector<Nat> position;
  bool store;
  std::vector<const NatAtom*> inner = {};  ///< variables of loops around it, within the block
};
/// All of a block but those of arrays that are declared in it.
std::vector<Touched> touched_by(const Block& b);

/// Whether the order of two accesses may matter.
bool may_meet(const Touched& a, const Touched& b);

/// Whether accesses of iteration x, in `first`, and of iteration y, in `second`, of loops over `var` may meet
/// only where x = y: along some axis both move by c an iteration, and are less than c apart in the same one.
bool are_apart(const std::vector<Touched>& first, const std::vector<Touched>& second, const Nat& var);

/// Whether the iterations of a loop may be done in any order, by threads, too.
bool are_independent(const For& f);

/// Whether `later` may come before statements that stand before it.
bool may_precede(const Block& later, const Block& statements);

}  // namespace lift
