// Targets: the languages that kernels are emitted in, and what each of them has. Rewriting offers a decision
// where the target has what it needs; lowering lists the passes that it needs; emission spells.
#pragma once

#include <cstdint>

namespace lift {

enum class Target : std::uint8_t { openmp, opencl, cuda };

/// What a target has. A question about targets that is none of these wants a new column, not an `if`.
struct Capabilities {
  const char* name;            ///< as in --backend
  const char* language;        ///< for messages
  const char* extension;       ///< of a kernel's source file
  const char* host_extension;  ///< of its stand-alone caller
  int grid_dimensions;         ///< of the grid of work-items that a kernel runs over; 0: threads share loops
  bool vector_arithmetic;      ///< else vectors are loaded and stored whole, and computed lane by lane
  bool thread_local_arrays;    ///< arrays of a thread's own may be as large as its stack
  bool asynchronous_copies;    ///< from global to local memory
  bool copies_by_groups;  ///< asynchronous copies are begun by a whole group, a row at a time, not by items
  bool read_only_loads;   ///< a path of their own for arrays that a kernel does not write
  bool processors;        ///< devices may be processors, whose threads run whole groups
  bool fixed_group_size;  ///< the size of a work-group is in the kernel's text and always asked for
};
const Capabilities& capabilities(Target t);

inline const char* text(Target t) { return capabilities(t).name; }
/// Kernels run over a grid of work-items.
inline bool is_grid(Target t) { return capabilities(t).grid_dimensions > 0; }

}  // namespace lift
