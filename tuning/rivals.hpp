// The loops a C programmer writes, through the compilers that are there: the baseline, and what polyhedral
// optimisers make of the same source.
#pragma once

#include <string>
#include <vector>

#include "patterns/pattern.hpp"
#include "tuning/executor.hpp"

namespace lift {

struct RivalJob {
  std::string name, what;
  bool baseline = false;
  Job job;
};

/// Empty when the pattern has no plain loops. `others`: also Polly and Graphite, where installed.
std::vector<RivalJob> rival_jobs(const Pattern& pattern, const Problem& problem, const Program& program,
                                 bool others, int threads);

}  // namespace lift
