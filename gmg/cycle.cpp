#include "gmg/cycle.hpp"

#include <sstream>

#include "gmg/named.hpp"
#include "ir/number_text.hpp"

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
  if (kind != CycleKind::V && level + 2 < levels) {
    if (kind == CycleKind::K) steps.push_back({level + 1, Leg::first});
    visit(kind == CycleKind::F ? CycleKind::V : kind, level + 1, levels, steps);
    if (kind == CycleKind::K) steps.push_back({level + 1, Leg::second});
  }
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
    case Leg::first:
      return "first";
    case Leg::second:
      return "second";
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

namespace {

/// "down 0". UserError.
CycleStep step_of(const std::string& text, std::size_t levels) {
  std::istringstream in(text);
  std::string leg, level, more;
  in >> leg >> level >> more;
  const auto number = read_number<int>(level);
  if (!number || !more.empty()) throw UserError("'" + text + "' is no leg and its level");
  if (*number < 0 || static_cast<std::size_t>(*number) >= levels)
    throw UserError("there is no level " + level + "; they are 0 to " + std::to_string(levels - 1));
  return {static_cast<std::size_t>(*number),
          named("no such leg; ", leg, {Leg::down, Leg::bottom, Leg::up, Leg::first, Leg::second})};
}

/// Where a step is done, and where the next one is to be: the level, gone down or come up to.
void check_order(const CycleSteps& steps, std::size_t levels) {
  const std::size_t last = levels - 1;
  std::size_t level = 0;
  bool solved = false;                       // that level's problem, by what went before
  std::vector<bool> halfway(levels, false);  // between the steps of an iteration
  for (const CycleStep& s : steps) {
    const auto wrong = [&](const std::string& why) {
      throw UserError("'" + std::string(text(s.leg)) + " " + std::to_string(s.level) + "': " + why);
    };
    const bool up = s.leg == Leg::up;
    if (s.level != (up ? level - 1 : level))
      wrong("the steps before it have come to level " + std::to_string(level));
    if (s.leg == Leg::down && level == last) wrong("the coarsest level is for 'bottom'");
    if (s.leg == Leg::bottom && level != last) wrong("it is for the coarsest level, " + std::to_string(last));
    if ((up || s.leg == Leg::first || s.leg == Leg::second) && !solved) wrong("nothing was found there yet");
    if (s.leg == Leg::first && (level == 0 || level == last || halfway[level]))
      wrong("it is for levels between the finest and the coarsest, once before 'second'");
    if (s.leg == Leg::second && !halfway[level]) wrong("it comes after 'first' and another visit");
    if (up && halfway[level]) wrong("'second' is missing on level " + std::to_string(level));
    if (s.leg == Leg::first) halfway[level] = true;
    if (s.leg == Leg::second) halfway[level] = false;
    solved = s.leg != Leg::down && s.leg != Leg::first;
    level = s.leg == Leg::down ? level + 1 : up ? level - 1 : level;
  }
  if (level != 0 || !solved) throw UserError("it does not come back to level 0");
}

}  // namespace

CycleSteps cycle_steps(const Plan& plan, std::size_t levels) {
  if (plan.steps.empty()) return cycle_steps(plan.cycle, levels);
  CycleSteps steps;
  try {
    std::istringstream in(plan.steps);
    for (std::string step; std::getline(in, step, ',');) steps.push_back(step_of(step, levels));
    check_order(steps, levels);
  } catch (const UserError& e) {
    throw UserError("gmg::Plan: the cycle '" + plan.steps + "': " + e.what() +
                    "; a cycle over these levels is '" + str(cycle_steps(CycleKind::V, levels)) + "'");
  }
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
