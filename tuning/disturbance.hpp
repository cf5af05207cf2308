// Other work on the machine: times taken beside it say nothing, and are not remembered.
#pragma once

#include <span>
#include <string>

#include "runtime/measure.hpp"

namespace lift {

/// Whether times are believed whatever runs beside (LIFTGEN_TRUST_TIMES=1): for tests, and where it is never
/// quiet.
bool are_times_trusted();

/// More work waits for processors than there are, also without what this process does: a sentence, "" when it
/// does not.
std::string load_beside();

/// Times of one kernel that lie too far apart, of several kernels the worst: a sentence, "" when all are
/// steady.
std::string unsteady(std::span<const Timing> timings);

/// Whether a kernel of so many sweeps in a call can be so much faster than the twin of one, which moves what
/// each has to move. More is a mistake: what ran beside took its time from the twin.
bool is_possible(double roofline, int sweeps);

}  // namespace lift
