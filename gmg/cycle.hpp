// A cycle as data: which leg is done on which level, one after the other. Level 0 is the finest.
#pragma once

#include "gmg/plan.hpp"

namespace lift::gmg {

enum class Leg : std::uint8_t {
  down,        ///< sweeps; the residual's restriction becomes the next level's f, its u begins as 0
  bottom,      ///< the coarsest level is solved
  up,          ///< the next level's u corrects this one's; sweeps
  restrict_f,  ///< the restriction of f becomes the next level's
  defect,      ///< cycles in f32: f - A u in f64, and what the cycle found is added to u
  first,       ///< of two steps of an iteration: see gmg/krylov_steps.hpp
  second,
  interpolate,  ///< the next level's u, interpolated, is this one's
};
const char* text(Leg leg);
struct CycleStep {
  std::size_t level;
  Leg leg;
  friend bool operator==(const CycleStep&, const CycleStep&) = default;
};
using CycleSteps = std::vector<CycleStep>;

/// One cycle over levels first ... levels - 1.
CycleSteps cycle_steps(CycleKind kind, std::size_t levels, std::size_t first = 0);
/// That of the plan. UserError: steps of its own that are no cycle over these levels.
CycleSteps cycle_steps(const Plan& plan, std::size_t levels);
/// Full multigrid: f on all levels, a solution on the coarsest, then a cycle from each level's interpolated
/// solution.
CycleSteps full_start_steps(CycleKind kind, std::size_t levels);
std::string str(const CycleSteps& steps);  ///< "down 0, down 1, bottom 2, up 1, up 0"

}  // namespace lift::gmg
