// Chains of stages whose loops differ: what is known of one, and what decisions ask.
#pragma once

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {

/// Results that have a name, and are read by other stages: in tiles they would be written by two of them, so
/// that each is copied to where the result goes, and kept as far as it is read.
std::vector<Place> named_results(const Program& program);
/// Results that no stage reads again: what comes after all names, and is no name.
std::vector<Place> last_results(const Expr& body);

/// Whether threads can take tiles of so many rows in turns, some stages in rings.
bool can_take_turns_in_rings(const Program& program, std::int64_t rows);

/// No loops around and no tiles to give each thread its own: a stage's planes of a step are what is shared.
bool shares_steps(const NestFacts& f);
/// Too few loops around for all threads, which take skewed tiles in turns.
bool goes_in_turns(const NestFacts& f, const Configuration& c);
/// Strips of the result, so many a thread.
AxisSizes strips_a_thread(const NestFacts& f, std::int64_t each);

}  // namespace lift
