// Decisions that are on or off, in all combinations: what each of them is worth, whatever the others are.
#pragma once

#include "rewrite/space.hpp"

namespace lift {

/// A decision of the space: loop order, unrolling, values kept in registers, prefetching, read-only loads, the size of blocks.
struct Switch {
  std::string name;       ///< of the parameter
  std::string off, on;    ///< the plain value, and another
};

/// One combination.
struct SwitchRun {
  std::vector<bool> on;   ///< a switch each
  Configuration params;
  std::string note;       ///< why it has no time; "" when it has one
  double ms = 0;          ///< 0 when it was not measured
  bool verified = false;
};

/// What one switch does.
struct SwitchEffect {
  double factor = 0;      ///< geometric mean of ms off / ms on over pairs that differ in this switch alone; above 1 is a gain
  int pairs = 0;
  double best_on = 0, best_off = 0;  ///< ms of the fastest combination with and without; 0 when there is none
};

struct SwitchGrid {
  std::vector<Switch> switches;      ///< empty: nothing was asked for
  std::vector<SwitchRun> runs;       ///< all combinations, the first switch slowest; all off first
  std::vector<SwitchEffect> effects; ///< a switch each
  bool empty() const { return switches.empty(); }
};

/// The switches of a space, in its order. `good`: configurations, the fastest first, that say which value other than the plain
/// one is tried; without any, the first that the space has. UserError when the space has none.
std::vector<Switch> switches_of(const Space& space, const std::vector<Configuration>& good);

/// All combinations; the other decisions are those of `base`, as far as the space allows them. A combination that the space
/// does not allow has a note and no configuration.
std::vector<SwitchRun> combinations(const Space& space, const std::vector<Switch>& switches, const Configuration& base);

/// From the verified runs that have a time.
std::vector<SwitchEffect> effects(const std::vector<Switch>& switches, const std::vector<SwitchRun>& runs);

/// Effects and all combinations, as two tables. No trailing newline.
std::string switch_table(const SwitchGrid& grid);

}  // namespace lift
