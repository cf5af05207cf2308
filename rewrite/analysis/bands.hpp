// Bands: how far apart the stages of a chain have to stay when all of them go along an axis together. That is
// a number a stage, its shift, in planes of the finest grid of the chain: skewed, how far it stays behind the
// first stage; in overlapped tiles, how far beyond the tile it goes, so that tiles wait for nothing; in two
// phases (split tiling), how much of it on both sides a tile leaves, so that nothing is read that another
// tile computes, and nothing is computed twice. What each loop begins with is part of lags, so that stages
// over regions that shrink have lags, too.
#pragma once

#include "ir/expr/attributes.hpp"
#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

struct Shifts {
  std::vector<std::int64_t> by_stage;
  std::string obstacle;  ///< why there are none; else empty
};

/// What a dependence between two stages asks of a band: the shift of one is so much more than the other's.
struct Demand {
  std::size_t more, less;
  std::int64_t by;
  const Dependence* of;
};
/// All of them, those of what a stage is less than before those of what it is more than; or the dependence
/// that forbids such a band along the axis whatever the shifts.
struct Demands {
  std::vector<Demand> list;
  std::string obstacle;
};
/// By how much more than needed the later stage of a dependence stays behind the earlier one.
using Apart = std::function<std::int64_t(const Dependence&)>;
Demands demands(const Chain& chain, const StageGraph& graph, Band::Shape shape, std::size_t axis,
                const Apart& apart = {});
/// The least shifts that satisfy them.
Shifts least_shifts(const Demands& demands, std::size_t stages,
                    const std::vector<std::int64_t>& at_least = {});
/// Those with which the stages of a chain may go along `axis` together, 0 the outermost of the arrays that
/// they make.
Shifts least_shifts(const Chain& chain, const StageGraph& graph, Band::Shape shape, std::size_t axis);

/// Lags with which to go in the steps of a band: the least, but that stages stay a step apart for a team,
/// that what is copied asynchronously is there a step before it is read, and that stages which read no other,
/// such as those copies, are as late as their readers let them be, so that fewer planes are kept.
Shifts lags_in_step(const Chain& chain, const StageGraph& graph, const Band& band);
/// Lags with which to go along an axis in steps of `width` rows within which rings are read: the least that
/// have it so.
Shifts lags_around_rings(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t width);
/// Whether a stage begins when others have nearly ended, as behind the wrap of a periodic boundary: together,
/// they would still go one after the other. `planes`: that they go along, where known.
bool go_apart(Shifts lags, std::optional<std::int64_t> planes);
/// Why threads may not take the steps of the outermost skewed band around a chain in turns, each going
/// through its step along the next axis as soon as the thread of the step before is done there; empty: they
/// may. All dependences go forward along both axes, as the lags of both respect them.
std::string why_not_in_turns(const Chain& chain, const StageGraph& graph);

/// What an update that is not in place leaves of its base is copied before all steps, unless one of the two
/// is a ring, or tiles that overlap are around: which of that another stage computes in a band of that shape.
/// The stage graph takes updates to be in place where they may be. Empty: none does.
std::string why_copies_are_late(const Chain& chain, const StageGraph& graph, Band::Shape shape);

/// The least width of tiles in phases whose seams do not meet either.
std::int64_t least_width(const std::vector<std::int64_t>& shifts);
/// Of a band in phases, whose tiles are narrower; else empty.
std::string why_too_narrow(const Band& band);

/// UserError when the bands of a program are not around its chain, their order is none, or shifts are too
/// small for a dependence.
void check_bands(const Program& program);

}  // namespace lift
