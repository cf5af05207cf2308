// How many sweeps to do in one pass: several depths are explored one after the other, each with the ghost
// zone that it needs, and compared by the time of one sweep.
#pragma once

#include "tuning/explore.hpp"

namespace lift {

struct Depth {
  Problem problem;       ///< with `sweeps`, and as deep a ghost zone
  ExploreResult result;  ///< its times are of one sweep, over the boxes of the sample
  double memory = 1;     ///< bytes of all arrays, over those at one sweep: what deeper ghost zones cost
  double computed = 1;   ///< cells computed in a sweep, on average, over those of the boxes
  std::string why_not;   ///< the problem cannot be explored at this depth; else empty
};
struct Depths {
  std::vector<Depth> tried;
  std::int64_t boxes = 0;  ///< of the sample
  std::size_t best = 0;    ///< of those tried
  /// Of the best: over all boxes, or over the sample where it was interrupted before, or where there was no
  /// time to set up all.
  ExploreResult result;
};

/// Of one sweep of the best variant there is: in plain sweeps without deeper ghost zones, which are measured
/// in turns with it. Depths are compared by that, since a machine may be faster at one time than at another.
/// Without plain loops in ms.
double cost(const Depth& d);

constexpr int kDepths[] = {1, 2, 4, 8};

/// The problem with so many sweeps: where boxes have ghost zones, each sweep uses up as many cells as one
/// needs.
Problem with_sweeps(Problem p, int sweeps);

/// So many boxes do not fit in the caches, and keep every thread as busy as the next: their times a box are
/// those of all. At most `boxes`.
std::int64_t boxes_of_sample(double bytes_of_box, double cache_bytes, std::int64_t threads,
                             std::int64_t boxes);

/// Explores the depths of kDepths in turn, until one is clearly slower than the best, each beginning with
/// what was fast at the one before: over a sample of the boxes. Then the winner over all boxes, beginning
/// with what was fast there; over the sample where all cannot be set up and measured in the time that is
/// left. All within the budget of `options`. UserError for a pattern that is applied once only, or where one
/// sweep cannot be explored.
Depths explore_depths(const Pattern& pattern, const Problem& problem, const ExploreOptions& options);

/// A line a depth; names that do not fit into `columns` (0: all do) stand below.
std::string depth_table(const Depths& d, std::size_t columns = 0);

}  // namespace lift
