// Targets: the languages that kernels are emitted in, and what each of them has. Rewriting offers a decision
// where the target has what it needs; lowering lists the passes that it needs; emission spells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lift {

enum class Target : std::uint8_t { openmp, opencl, cuda };

/// What a target has. A question about targets that is none of these wants a new field, not an `if`.
struct Capabilities {
  const char* name = "";            ///< as in --backend
  const char* language = "";        ///< for messages
  const char* extension = "";       ///< of a kernel's source file
  const char* host_extension = "";  ///< of its stand-alone caller
  int grid_dimensions = 0;  ///< of the grid of work-items that a kernel runs over; 0: threads share loops
  bool vector_arithmetic = false;    ///< else vectors are loaded and stored whole, and computed lane by lane
  bool thread_local_arrays = false;  ///< arrays of a thread's own may be as large as its stack
  bool asynchronous_copies = false;  ///< from global to local memory
  bool copies_by_groups = false;     ///< whole groups begin them, a row at a time, not items
  bool read_only_loads = false;      ///< a path of their own for arrays that a kernel does not write
  bool processors = false;           ///< devices may be processors, whose threads run whole groups
  bool fixed_group_size = false;  ///< the size of a work-group is in the kernel's text and always asked for
  std::size_t declared_local_bytes = 0;  ///< that arrays in a kernel's text may have; beyond, its launch asks
                                         ///< for the memory of all; 0: as much as the device has
  bool unrolls_unasked = false;          ///< its compiler unrolls long loops unless told not to
  int most_unrolled = 0;  ///< iterations that a pragma unrolls at most; 0: one unrolls whole loops
  bool emulated = false;  ///< its kernels can run on the host without a device, to be checked
};
const Capabilities& capabilities(Target t);

inline const char* text(Target t) { return capabilities(t).name; }
/// The target of a name as in --backend; nothing for other names.
std::optional<Target> target_named(const std::string& name);
/// "openmp, opencl or cuda"
std::string target_names();
/// Kernels run over a grid of work-items.
inline bool is_grid(Target t) { return capabilities(t).grid_dimensions > 0; }

}  // namespace lift
