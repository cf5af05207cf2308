// Views with gaps, passed as they lie: a view is a block of a row-major array whose rows (and planes) are
// longer. A program over that array takes the block out of it, or puts its result into it.
#pragma once

#include "embed/plan.hpp"
#include "rewrite/engine/derivation.hpp"

namespace lift {

/// Of each argument of a call the lengths of the array that it is a block of; none where it has no gaps.
/// Empty when no argument has gaps.
using Around = std::vector<std::vector<std::int64_t>>;

/// Lengths of the row-major array in which the view lies, from its first element on. Nothing when there is
/// none: neighbours along the last dimension are apart, or rows begin at no multiples of what a row holds.
std::optional<std::vector<std::int64_t>> lengths_around(const ArgumentValue& v);

/// A program over the arrays around its arguments.
struct Pitched {
  Program program;
  /// Of each result the argument that it updates: one with gaps, or a further one, which is the array around
  /// the result; "" where it is a result like any other.
  std::vector<std::string> into;
  std::vector<std::vector<int>> wrapped;  ///< places of results that became blocks of updates
};
/// `numbered` has numbers for its lengths. Those of the results that go into an argument with gaps become
/// updates of the array around it, where `update` says so; what else mentions an argument sees the block.
Pitched within(const Program& numbered, const Plan& plan, const Around& around,
               const std::vector<bool>& update);

/// The derivation of a program for what `within` made of that; further updates are made in place.
Derivation moved(Derivation d, const Pitched& p);

}  // namespace lift
