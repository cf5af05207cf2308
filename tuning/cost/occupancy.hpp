// How many work-items a multiprocessor of a GPU holds, of those that it could.
#pragma once

#include <cstddef>

namespace lift {

/// Of a multiprocessor; those of sm_80.
struct Multiprocessor {
  std::size_t items = 2048, groups = 32, registers = 65536;
  std::size_t local_bytes = std::size_t{164} * 1024;  ///< of which each group takes kOfSystem besides its own
  static constexpr std::size_t kOfSystem = 1024;
};
/// Of an architecture, as 10 * major + minor.
Multiprocessor multiprocessor(int architecture);

/// What a group needs: work-items, registers of each (0: not known), local memory.
struct GroupNeeds {
  std::size_t items = 0, registers = 0, local_bytes = 0;
};
/// Groups that it holds at once; 0: not even one.
std::size_t resident_groups(const GroupNeeds& needs, const Multiprocessor& on);
/// Their share of the warps that it could hold.
double occupancy(const GroupNeeds& needs, const Multiprocessor& on);

}  // namespace lift
