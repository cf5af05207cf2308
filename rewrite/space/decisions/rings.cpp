// Where sweeps that go in step and are not in place put their results: in whole arrays, two of which take
// turns, or in rings, which keep those planes that the next sweep still reads.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Planes follow one another along the outermost axis, and along no other.
bool admits_rings(const NestFacts& f, const Configuration& c, bool rings) {
  const std::vector<AxisSize>& steps = c[key::time].list;
  const bool in_place = is_in_place(f, c);
  if (!rings) return steps.empty() || in_place || f.two_arrays;
  return f.rings && !in_place && steps.size() == 1 && steps[0].axis == f.axes[f.above_update].name;
}

}  // namespace

namespace decisions {

const Decision& rings() {
  static const auto& d =
      *new Decision(decide(key::rings)
                        .offers([](const NestFacts& f) {
                          return f.rings ? std::vector<bool>{false, true} : std::vector<bool>{};
                        })
                        .of_stored_stages_too()
                        .admitted(admits_rings)
                        .said([](const NestFacts& f, const Configuration& c) -> std::string {
                          return c[key::rings] && !f.lines ? "rings of planes" : "";
                        }));
  return d;
}

}  // namespace decisions
}  // namespace lift
