// What is checked at each call, whatever the kernel runs on. Private to this folder.
#pragma once

#include "embed/variant.hpp"

namespace lift {

/// An array of a call, as a kernel gets it.
struct Passed {
  ArgumentValue caller;      ///< the caller's memory
  std::size_t bytes = 0;     ///< of an element
  std::size_t argument = 0;  ///< of the call
  bool written = false;
  bool beside = false;  ///< the kernel works on a copy, so that others may lie where this does
};

/// The argument of the kernel that is this array.
std::size_t slot_of(const Kernel& kernel, const std::string& array);
/// UserError: an index parameter beyond its range.
void check_range(const Plan& plan, const Kernel& kernel, std::size_t argument, const ArgumentValue& value,
                 std::source_location where);
/// UserError: an array without elements.
void check_data(const Plan& plan, std::size_t argument, const ArgumentValue& value,
                std::source_location where);
/// UserError: one that is written shares memory with another one.
void check_overlaps(const Plan& plan, std::span<const Passed> passed, std::source_location where);

}  // namespace lift
