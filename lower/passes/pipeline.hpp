// A pipeline is a list of passes; one runner applies, verifies, prints (LIFTGEN_PRINT_AFTER=pass|all) and
// times (LIFTGEN_TIME_PASSES=1) them.
#pragma once

#include <functional>

#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"

namespace lift {

struct Pass {
  std::string name;
  std::function<void(Kernel&)> run;
  std::optional<Form> makes = std::nullopt;  ///< the form of the kernel from here on; nothing: that before
};
/// `form`: of the kernel before the first pass.
void run_passes(Kernel& k, const std::vector<Pass>& passes, Form form = Form::Positions);

/// All passes after translation, those of the target included.
Kernel finish(Kernel k, const LowerOptions& options);

}  // namespace lift
