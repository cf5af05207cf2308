// Programs whose result is reduced from arrays, and reductions in other programs: facts, decisions, steps. A
// reduction over joined arrays becomes a nest of reductions; the outermost is over partial results, which may
// be computed in parallel; the innermost has one or several accumulators.
#pragma once

#include "rewrite/space/decision.hpp"
#include "rewrite/space/facts.hpp"
#include "rewrite/space/keys.hpp"

namespace lift {

struct ReductionFacts : ProgramFacts {
  std::vector<Place> places;  ///< that the result is computed from; empty: none that may be taken apart
  std::vector<Axis> over;     ///< of the first: the joined arrays that it goes over, outer to inner
  bool fills = false;   ///< the last part can be filled up with elements that change nothing (reduce-pad)
  bool update = false;  ///< the result is put into a base array, by no loop
};
/// What is not understood is left as it is.
ReductionFacts reduction_facts(const Program& program, const SpaceOptions& options);

using ReductionDecision = Decision<ReductionFacts>;
/// In dependency order.
const std::vector<const ReductionDecision*>& reduction_decisions();
namespace reduction {
const ReductionDecision& parts();
const ReductionDecision& group();
const ReductionDecision& lanes();
std::vector<Configuration> first_guesses(const ReductionFacts& f);
}  // namespace reduction

/// How reductions are taken apart: parts in parallel, accumulators side by side.
void derive_reductions(Deriver& d, const ReductionFacts& f, const Configuration& c);

/// The same for reductions within loops, of a plane's elements, say: a loop an axis, and accumulators side by
/// side in the innermost. What has to be done in order, or is of few elements, stays as it is.
void derive_reductions_in_loops(Deriver& d, std::int64_t lanes);

/// The same for those in no loop, as of what an iteration has computed: threads share the outermost axis.
void derive_reductions_beside_loops(Deriver& d, std::int64_t lanes);

constexpr std::int64_t kFewForGroups = 4096;  ///< elements that one group reduces as fast as several
/// Elements of a part: of all axes within those that the parts are named after, or the size of a chunk.
std::int64_t part_length(const ReductionFacts& f, const AxisSizes& parts);
/// Elements of the chunks that parts are; nothing: they are of whole axes.
std::optional<std::int64_t> chunk_of(const AxisSizes& parts);

/// Takes the innermost loop out of a reduction over joined arrays, as a reduction of its own; false when
/// there is none.
bool take_level(Deriver& d, const Place& reduction);
/// The outermost two of nested reductions become one, over joined arrays.
void join_levels(Deriver& d, const Place& reduction);
/// Joined arrays that are zipped or mapped become one that is joined last; false where there are none.
bool join_last(Deriver& d, const Place& array);
/// The elements beyond a multiple of k come after, one by one; the place of the reduction over the others.
Place without_rest(Deriver& d, Place reduction, std::int64_t k);
/// The reduction `levels` below another.
Place inner_reduction(Place reduction, std::size_t levels);

}  // namespace lift
