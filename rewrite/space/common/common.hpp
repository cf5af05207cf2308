// Steps of loops and scans, whatever these make.
#pragma once

#include "rewrite/space/deriver.hpp"
#include "rewrite/space/facts.hpp"

namespace lift {

/// Whether stages of a program may share loops.
bool have_joined_stages(const Program& program);

/// How the loop of a scan runs.
struct ScanLoop {
  bool stored = false;                    ///< the element before is read back from memory
  std::int64_t unroll = 1, prefetch = 0;  ///< elements a trip, elements ahead
};
/// All scans without a decision.
void run_scans(Deriver& d, const ScanLoop& loop = {});

/// The loop over columns at `columns` goes inside the scans and reductions that its function makes of each.
void levels_outside(Deriver& d, const Place& columns);

/// On a grid, of an update that is not in place: how its base is copied. Within other loops, and where it is
/// small, as loops of its own over all of it, which take one launch; else only what the block leaves of it is
/// copied, by lowering.
void copy_base(Deriver& d, const Place& update);

/// What loops outside a main nest follow of its decisions.
struct OtherLoops {
  bool parallel = true;  ///< the outermost of more than one iteration is shared among threads
  bool vectors = true;   ///< the innermost is over vectors, where that is possible
  bool solo = false;     ///< on a grid: work-groups of one item
  std::int64_t width = 1;
};
/// Loops of further results and of values with a name, all that are left.
void run_other_loops(Deriver& d, const ProgramFacts& f, const OtherLoops& how);

/// Results that have a name, and are read by other stages: in tiles they would be written by two of them, so
/// that each is copied to where the result goes, and kept as far as it is read.
std::vector<Place> named_results(const Program& program);
Rewriting with_results_copied(Rewriting r);

}  // namespace lift
