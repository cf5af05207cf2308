// Chains of stages whose loops differ: what is known of one, and what decisions ask.
#pragma once

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {

/// Results that have a name, and are read by other stages: in tiles they would be written by two of them, so
/// that each is copied to where the result goes, and kept as far as it is read.
std::vector<Place> named_results(const Program& program);
Rewriting with_results_copied(Rewriting r);
/// Results that no stage reads again: what comes after all names, and is no name.
std::vector<Place> last_results(const Expr& body);

/// Whether threads can take tiles of so many rows in turns, some stages in rings.
bool can_take_turns_in_rings(const Program& program, std::int64_t rows);

}  // namespace lift
