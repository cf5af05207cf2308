// What a kernel costs, counted on its loops without running it: lines that move between the levels of memory,
// by layer conditions (Stengel, Treibig, Hager, Wellein 2015), instructions, starts of loops, waits of
// threads.
//
// Memory. The footprint of a loop are the lines that one execution of it touches. Lines are fetched into a
// cache once an execution of the outermost loop whose single iterations leave it room: what one iteration has
// fetched, the next one finds. Loads that differ by constants are taken apart by the strides of the loops, so
// that neighbours along a loop share lines. Instructions. Of each statement those of one execution, times how
// often a thread executes it. Innermost loops that a compiler can vectorise count by vectors.
#pragma once

#include <array>

#include "lower/loops/loop.hpp"

namespace lift {

/// What a kernel is to run on.
struct CostMachine {
  int threads = 1;
  int vector_bytes = 32;
  double first_bytes = 32 << 10, second_bytes = 512 << 10;  ///< of caches, a thread
  double last_bytes = 16 << 20;                             ///< of the last level, all together
};
struct Machine;
CostMachine cost_machine(const Machine& machine, int threads);

/// Names of what is counted, in order; lines and instructions in thousands.
inline constexpr std::array kCostNames{
    "streams",  ///< lines of stores past the caches, of all threads
    "last",     ///< lines from and to the last level, of the busiest thread; those from memory count again
    "second",   ///< from and to the second level
    "jumps",    ///< of accesses that bring lines from the last level, to where nothing was fetched ahead
    "vectors",  ///< instructions on vectors, of the busiest thread: arithmetic, loads, stores
    "scalars",  ///< on scalars, prefetches, and what it takes to go on to the next iteration
    "starts",   ///< of innermost loops
    "regions",  ///< in which threads share loops, thousands
    "groups",   ///< work-groups, or work-items where they have no groups, thousands
    "barriers",
    "alone",  ///< arithmetic, loads and stores while other threads have nothing to do
};
using KernelCosts = std::array<double, kCostNames.size()>;

/// Of a kernel for a target, with constant sizes; sizes that are not known count as their least.
KernelCosts kernel_costs(const Kernel& kernel, const CostMachine& machine);

}  // namespace lift
