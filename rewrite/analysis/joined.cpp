#include "rewrite/analysis/joined.hpp"

namespace lift {
namespace {

bool have_same_planes(const StageWrites& a, const StageWrites& b) {
  return a.unknown.empty() && b.unknown.empty() && !a.extents.empty() && !b.extents.empty() &&
         a.extents[0] == b.extents[0] && begin_of(a, 0) == begin_of(b, 0) && a.scale[0] == b.scale[0] &&
         a.each[0] == 1 && b.each[0] == 1;
}

bool is_of_one_plane(const Dependence& d) {
  const Distance& x = d.distance.at(0);
  return x.bounded() && *x.min == 0 && *x.max == 0;
}

}  // namespace

std::vector<bool> joined_stages(const Chain& chain, const StageGraph& graph) {
  std::vector<bool> joined(chain.stages.size(), false);
  std::size_t first = 0;  // of the stages that share a loop
  for (std::size_t s = 1; s < chain.stages.size(); ++s) {
    bool apart = !have_same_planes(graph.stages[first], graph.stages[s]);
    for (const Dependence& d : graph.dependences)
      apart = apart || (d.to == s && d.from >= first && !is_of_one_plane(d));
    if (apart) first = s;
    joined[s] = !apart;
  }
  return joined;
}

}  // namespace lift
