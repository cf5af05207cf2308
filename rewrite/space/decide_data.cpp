// Decisions on data: where the result goes, how arrays are stored, and what kernels may assume of them.
#include "rewrite/space/decide.hpp"

namespace lift {

std::vector<Decision> data_decisions(const SpaceFacts& f) {
  const std::string lanes = std::to_string(f.lanes);
  std::vector<std::string> layouts{"caller"};
  if (!f.options.caller_layout_only && f.lanes > 1 && !f.axes.empty()) {
    layouts.push_back("rows " + lanes + " " + std::to_string(f.lead));
    if (f.parity_axes > 0 && f.in_place && (!is_grid(f.options.target) || f.axes.size() > 1))
      layouts.push_back("split " + std::to_string(f.parity_axes) +
                        " 1");  // not padded: half a row starts anywhere, so what is short counts
  }
  return {
      {"in_place", f.in_place ? std::vector<std::string>{"yes", "no"} : std::vector<std::string>{"no"},
       always},
      {"layout", layouts,
       [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
         return value.rfind("split", 0) != 0 ||
                is_in_place(facts, c);  // a whole new array would need both colours
       }},
  };
}

Decision access_decision(const SpaceFacts& f) {
  const bool loads = f.options.target == Target::cuda;  // of their own for what is not written
  Values values{loads ? "no"
                      : "yes"};  // elsewhere the promise that arrays do not overlap is all that there is
  if (f.reads_only) values.emplace_back(loads ? "yes" : "no");
  return {"readonly", values, always, loads};
}

}  // namespace lift
