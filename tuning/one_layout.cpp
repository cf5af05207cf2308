#include "tuning/one_layout.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "rewrite/space/keys.hpp"
#include "tuning/explore.hpp"

namespace lift {

std::vector<LayoutRequest> layouts_for(const std::vector<Program>& programs, const Machine& machine,
                                       Target target, const GridDeviceInfo* device) {
  std::vector<LayoutRequest> r{kCallersLayout};
  for (const Program& p : programs) {
    const Space space = make_space(p, target, machine, std::nullopt, device);
    for (const Parameter& parameter : space.parameters()) {
      if (parameter.key->name != key::layout.name) continue;
      for (const Setting& s : parameter.values) {
        const LayoutRequest layout = parse_layout(parameter.key->text(s));
        if (std::find(r.begin(), r.end(), layout) == r.end()) r.push_back(layout);
      }
    }
  }
  return r;
}

LayoutChoice choose_layout(const std::vector<LayoutRequest>& layouts, std::size_t operators,
                           const std::vector<double>& applied,
                           const std::function<double(std::size_t layout, std::size_t op)>& ms_of) {
  LayoutChoice choice;
  for (std::size_t l = 0; l < layouts.size(); ++l) {
    LayoutCost cost{layouts[l]};
    for (std::size_t op = 0; op < operators && cost.why_not.empty(); ++op) {
      try {
        cost.ms += ms_of(l, op) * (applied.empty() ? 1 : applied.at(op));
      } catch (const UserError& e) {
        if (l == 0) throw;
        cost.why_not = e.what(), cost.ms = 0;
      }
    }
    choice.costs.push_back(std::move(cost));
    if (choice.costs[l].why_not.empty() && choice.costs[l].ms < choice.costs[choice.best].ms) choice.best = l;
  }
  return choice;
}

}  // namespace lift
