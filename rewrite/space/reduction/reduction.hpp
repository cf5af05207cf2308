// Programs whose result is reduced from arrays, and reductions in other programs: how they are derived. A
// reduction over joined arrays becomes a nest of reductions; the outermost is over partial results, which may
// be computed in parallel; the innermost has one or several accumulators.
#pragma once

#include "rewrite/space/configuration.hpp"
#include "rewrite/space/deriver.hpp"
#include "rewrite/space/facts.hpp"

namespace lift {

/// How reductions are taken apart: parts in parallel, accumulators side by side.
void derive_reductions(Deriver& d, const NestFacts& f, const Configuration& c);

/// The same for reductions within loops, of a plane's elements, say: a loop an axis, and accumulators side by
/// side in the innermost. What has to be done in order, or is of few elements, stays as it is.
void derive_reductions_in_loops(Deriver& d, std::int64_t lanes);

/// The same for those in no loop, as of what an iteration has computed: threads share the outermost axis.
void derive_reductions_beside_loops(Deriver& d, std::int64_t lanes);

/// The same on a grid, by groups of so many items at most.
void derive_reductions_by_groups(Deriver& d, std::int64_t items);

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
