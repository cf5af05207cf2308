// How often threads, or the work-items of a group, wait for one another where they share what sweeps do in a
// step: after each sweep, or once a step, in which each sweep is then a step further behind the one before.
// Of skewed tiles there is nothing else to share: threads take them in turns.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Steps along one axis, and a loop within them is shared; rings also copy borders, which one thread does.
bool admits_team(const NestFacts& f, const Configuration& c, bool team) {
  const std::vector<AxisSize>& steps = c[key::time].list;
  if (goes_doacross(f, c)) return team;
  if (f.inside == Inside::stages) return !team || (steps.size() == 1 && steps[0].size > 1 && shares_steps(f));
  if (f.on_grid()) return goes_in_groups(f, c) ? fits_in_groups(f, c, team) : !team;
  if (!team) return true;
  const Loops& shared = c[key::parallel];
  if (c[key::rings] || steps.size() != 1 || shared.names.size() != 1) return false;
  for (std::size_t a = 0; a < f.above_update; ++a)
    if (f.axes[a].name == shared.names[0]) return false;
  return true;
}

}  // namespace

bool shares_steps(const NestFacts& f) {
  return f.options.threads > 1 && !has_loops_for_threads(f) && !f.chain.tiles;
}

bool goes_doacross(const NestFacts& f, const Configuration& c) {
  return !f.on_grid() && f.options.threads > 1 && !has_loops_for_threads(f) && c[key::time].list.size() > 1;
}

namespace decisions {

const Decision& team() {
  static const auto& d = *new Decision(
      decide(key::team)
          .offers([](const NestFacts& f) {
            if (f.inside == Inside::stages) {
              const bool turns = f.chain.rows && f.options.threads > 1 && !has_loops_for_threads(f);
              return shares_steps(f) || turns ? std::vector<bool>{false, true} : std::vector<bool>{false};
            }
            const bool can = f.on_grid() ? !f.in_groups.empty()
                                         : f.sweeps > 1 && !f.steps.empty() && f.options.threads > 1;
            return can ? std::vector<bool>{false, true} : std::vector<bool>{};
          })
          .of_stored_stages_too()
          .admitted(admits_team)
          .taken([](NestDeriver& d, const NestFacts&, const Configuration& c, const Place&) {
            if (c[key::team]) d.step(c[key::time].list.size() > 1 ? "doacross" : "wait-once", {});
          })
          .said([](const NestFacts&, const Configuration& c) -> std::string {
            if (!c[key::team]) return "";
            return c[key::time].list.size() > 1 ? "threads take tiles in turns" : "threads wait once a step";
          }));
  return d;
}

}  // namespace decisions
}  // namespace lift
