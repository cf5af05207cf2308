// What a kernel must be between any two passes: a list of rules with names. A kernel that breaks one is the
// mistake of the pass before. Rules are sound: what they cannot decide they let pass.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// How far a kernel is on its way; each form admits what the ones before it do not.
enum class Form : std::uint8_t {
  Positions,  ///< an index for each dimension of an array; all values are scalars
  Flat,       ///< one index, by the layout of the array
  Vectors,    ///< Vec loops advance by their width, values have lanes
};

/// Throws InternalError with the pass, the rule, what breaks it, and the loops.
void verify(const Kernel& k, Form form, const std::string& pass);

/// The rules' names, in the order in which they are checked.
std::vector<std::string> loop_rules();

}  // namespace lift
