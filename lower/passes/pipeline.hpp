// A pipeline is a list of passes; one runner applies and, on request (LIFTGEN_PRINT_AFTER=pass|all), prints
// them.
#pragma once

#include <functional>

#include "lower/passes/passes.hpp"

namespace lift {

struct Pass {
  std::string name;
  std::function<Block(const Block&)> run;
};
void run_passes(Kernel& k, const std::vector<Pass>& passes);

/// All passes after translation.
Kernel finish(Kernel k, const LowerOptions& options);

}  // namespace lift
