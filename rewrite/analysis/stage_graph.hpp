// The stage graph of a chain: what each stage writes, and for each two stages that meet in one storage how
// far apart they do. What a schedule of the chain has to respect.
//
// Stage i writes position p of its array. In units of the finest grid it stands at scale * p, so that stages
// on different grids can be compared: a restriction's output has scale 2. Two stages meet where one reads or
// writes what the other writes; the distance of such a pair is *read minus written* position, an axis:
//
//   flow     j reads at k + d what an earlier stage i wrote there      i's plane k + d before j's plane k
//   anti     i reads at k + d what a later stage j overwrites there    i's plane k before j's plane k + d
//   output   both write one place                                      d = 0
//
// A schedule that handles plane k of stage i at step k + L_i is right along an axis when L_j - L_i >= max for
// flow, -min for anti, 0 for output. A stage whose iterations make several planes each, as those of a
// prolongation do, handles them at the step of the first: as a later stage it has to stay behind by so many
// more. A reduction of whole planes reads all that it may. All cases of pads are in the interval. A write
// that a stage in between overwrites entirely counts, too: what it demands follows from the two others.
#pragma once

#include "rewrite/analysis/chain.hpp"

namespace lift {

/// Read minus written position along one axis, over all elements and all cases of pads. An absent end is
/// unbounded, as at the wrap of a periodic boundary, or where nothing is known.
struct Distance {
  std::optional<std::int64_t> min = 0, max = 0;
  std::string at_min,
      at_max;       ///< the load that it is so of, e.g. "phi[k][j][max(i - 1, 0)]"; empty for output
  std::string why;  ///< when it is unbounded: the reason
  bool bounded() const { return min && max; }
};

struct Dependence {
  enum class Kind : std::uint8_t { Flow, Anti, Output } kind;
  std::size_t from, to;            ///< stages, from < to
  std::string storage;             ///< the array in which they meet
  std::vector<Distance> distance;  ///< an axis
};
const char* text(Dependence::Kind k);

/// How far beside the one stage's position the other meets it, on either side; bounded.
std::int64_t reach(const Dependence& d, std::size_t axis);

/// Where a stage writes.
struct StageWrites {
  std::vector<Nat> first, extents;  ///< the block that it writes, an axis of its array
  std::vector<Nat> begins;          ///< the position that the first iteration of its loops computes, an axis
  std::vector<Nat> computed;        ///< the extents of the block from there on that its loops compute
  std::vector<std::int64_t> each;   ///< positions that an iteration of its loops makes, an axis; 0: no loop
  std::vector<NatCond> guard;       ///< it writes only where these hold (the colour of a half-sweep)
  std::string storage;              ///< an argument or an earlier stage's array, or an array of its own
  std::optional<std::string> base;  ///< the array that it updates; in place where it has that one's storage
  std::vector<std::int64_t> scale;  ///< an axis: units of the finest grid from one element to the next
  std::string unknown;              ///< why nothing else is known of it; else empty
};

/// Where the loop of a stage begins along an axis, in planes of the finest grid.
Nat begin_of(const StageWrites& w, std::size_t axis);
/// How far the last plane that an iteration of its loop makes lies behind the first, in planes of the finest
/// grid.
std::int64_t depth_of(const StageWrites& w, std::size_t axis);

struct StageGraph {
  std::vector<StageWrites> stages;
  std::vector<Dependence> dependences;  ///< by `to`, then `from`
};

/// Which updates leave what their guards exclude where it is: all that may be in place, or those that the
/// program says are (update_in_place). Others store it in their loops, when it is its turn.
enum class Updates : std::uint8_t { where_possible, as_decided };

/// Updates are taken to be in place where they may be: the base is not used afterwards, may be overwritten,
/// and passes the proof. Linear in the number of different stages, and in that of pairs; what is known of a
/// stage is kept for equal ones.
StageGraph stage_graph(const Chain& chain, Updates updates = Updates::where_possible);

/// A table: stages, then dependences.
std::string str(const StageGraph& g, const Chain& chain);

}  // namespace lift
