// What is worth trying first, by kind of program and by what computes: programs of scans, reductions, nests
// on a grid's work-items, nests on threads.
#pragma once

#include "rewrite/space/decide.hpp"

namespace lift {

/// Some decisions of a configuration, the others as the space would have them: of each a value, or else how
/// one begins.
using Wishes = Configuration;

/// Best guess first; some are not possible in the space, and some lead to the same configuration. `stages`:
/// the program has stages that may be stored (decision stages).
std::vector<Wishes> worth_trying(const SpaceFacts& f, bool stages);

}  // namespace lift
