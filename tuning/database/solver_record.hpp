// What tuning has found for a solver: the choices and kernels that are fastest for an operator on a grid, on
// a platform. The database keeps it as text; gmg/known_plan.hpp says what is in it.
#pragma once

#include "tuning/database/record.hpp"

namespace lift {

struct SolverRecord {
  std::string expression;  ///< hash of A on its grid, 32 hexadecimal digits
  Platform platform;
  std::string name;       ///< of the grid, for people: "256x256x256 cells"
  std::string plan;       ///< of at most 1 MB
  std::int64_t when = 0;  ///< seconds since 1970, UTC
};

/// Why it cannot be one of ours: "" when it can. Names the field.
std::string fault_of(const SolverRecord& r);

}  // namespace lift
