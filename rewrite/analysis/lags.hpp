// Lags: how far behind the first each stage of a chain has to stay when all of them go along an axis together
// (in_step). They are counted in planes of the finest grid of the chain; what a stage's loop begins with is
// part of them, so that stages over regions that shrink have lags, too.
#pragma once

#include <map>

#include "rewrite/analysis/stage_graph.hpp"

namespace lift {

struct Lags {
  std::vector<std::int64_t> by_stage;
  std::string obstacle;  ///< why there are none; else empty
};

/// The least lags with which the stages of a chain may go along `axis` (0: the outermost of the arrays that
/// they make) together, or the dependence that forbids it. Where stages meet, the later one stays `apart`
/// planes more behind: with the width of a step, what a stage needs is done before the step begins.
Lags least_lags(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t apart = 0);

/// Whether a stage begins when others have nearly ended, as behind the wrap of a periodic boundary: together,
/// they would still go one after the other. `planes`: that they go along, where known.
bool go_apart(Lags lags, std::optional<std::int64_t> planes);

/// Those with which to go in steps of `width` planes: least_lags, but that what is copied asynchronously is
/// there a step before it is read, and that stages which read no other, such as those copies, are as late as
/// their readers let them be, so that fewer planes are kept.
Lags lags_in_step(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t width,
                  std::int64_t apart);

/// Those with which to go along an axis in steps of `width` rows within which rings are read: the least that
/// have it so.
Lags lags_around_rings(const Chain& chain, const StageGraph& graph, std::size_t axis, std::int64_t width);

/// What is wrong with these lags: the dependence that they violate, and the load that it is of. Empty: they
/// respect all.
std::string why_not_in_step(const Chain& chain, const StageGraph& graph, std::size_t axis,
                            const std::vector<std::int64_t>& lags, std::int64_t apart = 0);

/// Why threads may not take the steps of the outermost in_step around a chain in turns, each going through
/// its step along the next axis as soon as the thread of the step before is done there; empty: they may. All
/// dependences go forward along both axes, as the lags of both respect them.
std::string why_not_doacross(const Chain& chain, const StageGraph& graph);

/// What an update that is not in place leaves of its base is copied before all steps, unless one of the two
/// is a ring: which of that another stage computes in step. The stage graph takes updates to be in place
/// where they may be. Empty: none does.
std::string why_copies_are_late(const Chain& chain, const StageGraph& graph);

/// `apart` of an in_step.
std::int64_t steps_apart(const Expr& in_step);

/// UserError when in_step of a program is not around its chain, or its lags are too small for a dependence.
void check_in_step(const Program& program);

}  // namespace lift
