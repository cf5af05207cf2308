// How long the text of values becomes: C has no sharing but by names.
#pragma once

#include <unordered_map>

#include "lower/loops/loop.hpp"

namespace lift {

/// Operations of values once all that has no name is written out wherever it is used.
class WrittenOut {
 public:
  double operations(const Term& t);

 private:
  std::unordered_map<std::uint32_t, double> known_;
};

/// UserError for a value that takes more operations than any compiler gets through, once what has no name is
/// written out wherever it is used: within a choice (select, pads, guards) that is so, since what may not be
/// needed is not computed before.
void check_written_out(const Block& b);

}  // namespace lift
