// Chains of stages whose loops differ: what is known of one, and what decisions ask.
#pragma once

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {

/// Results that no stage reads again: what comes after all names, and is no name.
std::vector<Place> last_results(const Expr& body);

/// Whether threads can take tiles of so many rows in turns, some stages in rings.
bool can_take_turns_in_rings(const Program& program, std::int64_t rows);

}  // namespace lift
