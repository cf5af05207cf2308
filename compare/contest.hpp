// The peers that were asked for, as contenders of an exploration: each gets the same share of its time for a
// search of its own, and with its best settings takes part in the last round.
#pragma once

#include "compare/peer.hpp"

namespace lift {

/// UserError for names that none has. "plain" names the plain loops, which take part in any case. `most`:
/// each tries at most so many settings; 0: no limit.
/// `target`: a grid's, for whom kernels for devices are made.
std::shared_ptr<Contenders> make_contest(const std::vector<std::string>& names, int most = 0,
                                         Target target = Target::openmp);

/// The course of a program. `pattern`: its plain loops, where it has any; else those of the program, shared
/// by threads where that is allowed.
Course course_of(const Pattern& pattern, const Problem& problem, const Program& program, int threads);

}  // namespace lift
