// What a kernel's header and its caller share: names, sizes, and where an element lies.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift {

/// An index as C, divisions being those of non-negative numbers; `name` spells the variables.
std::string index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name);

/// What sizes must satisfy besides their ranges, as conditions of C; see Kernel::needs.
std::vector<std::string> needs_of(const Kernel& k, const std::function<std::string(const NatAtom&)>& name,
                                  bool of_sizes_alone = false);

/// What a size variable may be, from the arguments' types.
struct SizeRange {
  Nat lower = 1;
  std::int64_t modulus = 1, residue = 0;
};
SizeRange size_range(const Kernel& k, const std::string& size);
/// Ranges other than from 1 on, and what else sizes must satisfy: what a kernel asserts.
std::vector<std::string> contract_of(const Kernel& k, const std::function<std::string(const NatAtom&)>& name);
std::string str(const SizeRange& r);  ///< "at least 2 and even"

/// The array is not stored row by row.
bool is_rearranged(const KernelArgument& a);
/// The header's function that says where an element of a rearranged array lies: KERNEL_index_ARRAY(sizes,
/// position).
std::string index_function(const Kernel& k, const KernelArgument& a);
/// Names of its position, outermost first.
std::vector<std::string> position_names(const KernelArgument& a);
Nat row_major_size(const KernelArgument& a);

/// A header: what the arguments are, then within its guard `before`, where elements of rearranged arrays lie,
/// and `after`. `introduction` is more to say at its head, " ..." or empty.
std::string header_around(const Kernel& k, const std::string& introduction, const std::string& before,
                          const std::string& after);

/// A kernel as a static function without a comment of its own, for a file that holds more.
std::string emit_static(const Kernel& k);

}  // namespace lift
