// How the best variant came about, as texts: what was written, what each step made of it, and what became of
// that.
#pragma once

#include <string>
#include <vector>

#include "tuning/explore.hpp"

namespace lift {

struct ExplainedStep {
  std::string step;   ///< in the form that can be replayed
  std::string prose;  ///< what it does
  std::string after;  ///< the program after it, in textual form
};

/// The stages are those of `liftgen show`.
struct Explanation {
  std::string high;
  std::vector<ExplainedStep> steps;
  std::string low;  ///< with all storage decided
  std::string loops, code;
};

/// Of a variant of `program`. UserError when its derivation does not apply to that.
Explanation explain(const Program& program, const Variant& variant);

}  // namespace lift
