// How many sweeps to do in one pass: several depths are explored one after the other, each with the ghost
// zone that it needs, and compared by the time of one sweep.
#pragma once

#include "tuning/explore.hpp"

namespace lift {

struct Depth {
  Problem problem;       ///< with `sweeps`, and as deep a ghost zone
  ExploreResult result;  ///< its times are of one sweep
  double memory = 1;     ///< bytes of all arrays, over those at one sweep: what deeper ghost zones cost
  double computed = 1;   ///< cells computed in a sweep, on average, over those of the boxes
};
struct Depths {
  std::vector<Depth> tried;
  std::size_t best = 0;  ///< of those tried
};

constexpr int kDepths[] = {1, 2, 4, 8};

/// The problem with so many sweeps: where boxes have ghost zones, each sweep uses up as many cells as one
/// needs.
Problem with_sweeps(Problem p, int sweeps);

/// Explores the depths of kDepths in turn, until one is slower than the one before, within the budget of
/// `options`. UserError for a pattern that is applied once only.
Depths explore_depths(const Pattern& pattern, const Problem& problem, const ExploreOptions& options);

/// A line a depth.
std::string depth_table(const Depths& d);

}  // namespace lift
