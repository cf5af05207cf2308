// Decisions that are on or off, in all combinations: what each of them is worth, whatever the others are.
#pragma once

#include "rewrite/space/space.hpp"

namespace lift {

/// A decision of the space: loop order, unrolling, values kept in registers, prefetching, the read-only path,
/// the size of blocks.
struct Switch {
  const Key* key;     ///< of the parameter
  Setting off, on;    ///< two of its settings
  std::string title;  ///< in words
  std::string name() const { return key->name; }
  std::string off_text() const { return key->text(off); }
  std::string on_text() const { return key->text(on); }
};

/// A switch that there is nothing to be compared with, and why.
struct MissingSwitch {
  std::string name, title, why;
};

/// One combination.
struct SwitchRun {
  std::vector<bool> on;  ///< a switch each
  Configuration params;
  std::string note;  ///< why it has no time; "" when it has one
  double ms = 0;     ///< 0 when it was not measured
  bool verified = false;
  bool possible = true;  ///< the space allows it
};

/// What one switch does, over pairs of combinations that differ in it alone.
struct SwitchEffect {
  int pairs = 0;
  double off_ms = 0, on_ms = 0;      ///< geometric means over the pairs; 0 when there is none
  double factor = 0;                 ///< off_ms / on_ms: above 1 is a gain
  double least = 0, most = 0;        ///< the same of single pairs
  double best_on = 0, best_off = 0;  ///< ms of the fastest combination with and without; 0 when there is none
};

struct SwitchGrid {
  std::vector<Switch> switches;  ///< empty: nothing was asked for
  std::vector<MissingSwitch> missing;
  Configuration around;          ///< the other decisions
  std::string around_structure;  ///< in words
  bool around_fastest = false;   ///< they are those of the fastest variant
  int fastest_goes_with = 0,
      all = 0;  ///< switches that can be turned on and off around the fastest variant; switches of the space
  std::vector<SwitchRun> runs;        ///< all combinations, the first switch slowest; all off first
  std::vector<SwitchEffect> effects;  ///< a switch each
  bool empty() const { return switches.empty(); }
};

/// The switches of a space, in its order. `good`: configurations, the fastest first, that say which value
/// other than the plain one is tried; without any, the first that the space has. UserError when the space has
/// none.
std::vector<Switch> switches_of(const Space& space, const std::vector<Configuration>& good);

/// All combinations; the other decisions are those of `base`, as far as the space allows them. A combination
/// that the space does not allow has a note and no configuration.
std::vector<SwitchRun> combinations(const Space& space, const std::vector<Switch>& switches,
                                    const Configuration& base);

/// Switches, their combinations, and the surroundings: those of the fastest configuration that the most
/// switches go with, in which they can be turned on and off while all else stays. Where none in `good` goes
/// with all, also those of the space's seeds.
SwitchGrid switch_grid(const Space& space, const std::vector<Configuration>& good);

/// From the verified runs that have a time.
std::vector<SwitchEffect> effects(const std::vector<Switch>& switches, const std::vector<SwitchRun>& runs);

/// The order in which combinations are worth measuring should time run out: few switches on first.
std::vector<std::size_t> measuring_order(const std::vector<SwitchRun>& runs);

/// Effects and all combinations, the fastest first, as two tables, in so many columns (0: as wide as they
/// are). No trailing newline.
std::string switch_table(const SwitchGrid& grid, std::size_t columns = 0);

}  // namespace lift
