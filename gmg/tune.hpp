// Exploring the kernels of a solver's legs.
#pragma once

#include "gmg/kernel.hpp"

namespace lift::gmg {

/// A kernel of a cycle, and the bytes that it moves there: what its share of the time is guessed from.
struct CycleKernel {
  LaterKernel* kernel;
  double bytes;
  std::string where;  ///< cells of its level
};

/// Explores those that move at least a fiftieth of all bytes for `seconds` together, each for its share, in
/// the caller's layout; kernels found faster take the place of what is there, where they are bound. Kernels
/// are remembered in the database (a file; empty: the user's; "none": nowhere), see Plan::tuned. A line for
/// each.
/// `found`: gets their derivations.
std::vector<std::string> tune(std::vector<CycleKernel> kernels, double seconds, const std::string& database,
                              Derivations& found);

}  // namespace lift::gmg
