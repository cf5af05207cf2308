// How the work-items of a group meet memory: what an access does from one work-item to its neighbour along
// dimension 0.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// One access of a kernel to an array of its arguments.
struct GridAccess {
  std::string array;
  bool store = false;
  Nat index = 0;                       ///< flat, in terms of loop variables and sizes
  std::optional<std::int64_t> stride;  ///< elements from one work-item of dimension 0 to the next, in a warp
                                       ///< at least; nothing where that varies
  std::size_t bytes = 0;               ///< of the element
  int width = 1;                       ///< elements of a vector, of which the index is the first

  /// Neighbours meet neighbouring elements or vectors, or the same one: a warp's access is as few
  /// transactions as can be.
  bool coalesced() const { return stride && (*stride == 0 || *stride == width || *stride == -width); }
};

/// The accesses of a lowered kernel's loops over the grid, one for each load and store of the text. Those
/// where no loop over dimension 0 is around are left out: one work-item does them, or all do the same.
std::vector<GridAccess> grid_accesses(const Kernel& k);

/// How far a kernel is from unit stride: transactions of its accesses by 32 bytes, over those there would be
/// if each element were met by a neighbour of the work-item that meets its neighbour. 1 is best; accesses of
/// stride 2 whose other half is accessed too (an unrolled cell) count as half of it each. 1 for a kernel
/// without such accesses.
double transaction_ratio(const Kernel& k);

}  // namespace lift
