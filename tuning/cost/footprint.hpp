// Lines of memory that nests of loops touch, and fetch into a cache of a given size.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/nat/nat.hpp"

namespace lift {

constexpr double kLineBytes = 64;

/// An element, or a vector of neighbours, that is loaded or stored in each iteration of the loops around it.
struct ArrayUse {
  std::string array;
  double bytes = 8;  ///< an element
  double width = 1;  ///< elements
  bool stores = false, streams = false;
  double offset = 0;            ///< in elements, in the middle of all loops
  std::vector<double> strides;  ///< in elements, by loop around it, outermost first; 0: it stays where it is
};

/// A loop, with what its body meets in memory. The root is no loop, but all of the kernel.
struct CostNest {
  double trips = 1;  ///< of the busiest thread
  double threads = 1;
  bool shared = false;
  const NatAtom* variable = nullptr;
  double begin = 0, step = 1;
  std::vector<ArrayUse> accesses;  ///< not those of loops within
  std::vector<std::unique_ptr<CostNest>> children;
};

/// Lines that one thread touches in one execution of all of it.
double footprint(const CostNest& nest);
/// Lines that come into a cache with room for so many bytes, and those that are written back.
double lines_fetched(const CostNest& root, double bytes);
/// How often an access that brings lines into it goes on at another place than next to the lines before, so
/// that what fetches ahead by itself has to find out anew.
double jumps(const CostNest& root, double bytes);
/// Lines of stores past the caches.
double lines_streamed(const CostNest& root);

}  // namespace lift
