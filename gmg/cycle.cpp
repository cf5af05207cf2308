#include "gmg/cycle.hpp"

namespace lift::gmg {
namespace {

void visit(CycleKind kind, std::size_t level, std::size_t levels, CycleSteps& steps) {
  if (level + 1 == levels) {
    steps.push_back({level, Leg::bottom});
    return;
  }
  steps.push_back({level, Leg::down});
  visit(kind, level + 1, levels, steps);
  // The coarsest level is solved: another time changes nothing.
  if (kind != CycleKind::V && level + 2 < levels)
    visit(kind == CycleKind::W ? CycleKind::W : CycleKind::V, level + 1, levels, steps);
  steps.push_back({level, Leg::up});
}

}  // namespace

const char* text(Leg leg) {
  switch (leg) {
    case Leg::down:
      return "down";
    case Leg::bottom:
      return "bottom";
    case Leg::up:
      return "up";
    case Leg::restrict_f:
      return "restrict f";
    case Leg::defect:
      return "defect";
    case Leg::interpolate:
      return "interpolate";
  }
  return "";
}

CycleSteps cycle_steps(CycleKind kind, std::size_t levels, std::size_t first) {
  CycleSteps steps;
  visit(kind, first, levels, steps);
  return steps;
}

CycleSteps full_start_steps(CycleKind kind, std::size_t levels) {
  CycleSteps steps;
  for (std::size_t l = 0; l + 1 < levels; ++l) steps.push_back({l, Leg::restrict_f});
  steps.push_back({levels - 1, Leg::bottom});
  for (std::size_t l = levels - 1; l-- > 0;) {
    steps.push_back({l, Leg::interpolate});
    const CycleSteps cycle = cycle_steps(kind, levels, l);
    steps.insert(steps.end(), cycle.begin(), cycle.end());
  }
  return steps;
}

std::string str(const CycleSteps& steps) {
  std::string s;
  for (const CycleStep& step : steps)
    s += (s.empty() ? "" : ", ") + std::string(text(step.leg)) + " " + std::to_string(step.level);
  return s;
}

}  // namespace lift::gmg
