// Sweeps, or stages of one array each, in tiles of two phases: each tile by itself, of every stage some
// planes less than of the one before; then what tiles have left around their seams. Threads wait for one
// another once between the two, and nothing is computed twice: for arrays that stages overwrite, and in
// arrays that take turns. Around stages that go in step along the outermost axis, too. Strips compute again
// what these would read of a neighbour, and keep less; skewed tiles wait for one another.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kPlanes[] = {32, 16, 64};
constexpr std::int64_t kElements[] = {4096, 1024, 16384};  ///< of rows

bool admits_phases(const NestFacts& f, const Configuration& c, const AxisSizes& tile) {
  if (tile.empty()) return true;
  const std::vector<AxisSizes> own = tiles_of_phases(f);  // not those of the other form of stages
  if (std::find(own.begin(), own.end(), tile) == own.end()) return false;
  const bool plain = c[key::tile].empty() && c[key::block] == Blocks::none && !c[key::buffer] &&
                     c[key::order] == orders(f).front() && c[key::strips].empty() && !c[key::rings];
  if (!plain || c[key::stages] != (f.stages_in_phases ? Stages::work : Stages::fused)) return false;
  if (is_in_place(f, c) != f.phases_in_place) return false;
  if (!f.phases_in_place && c[key::layout].index != kCallerLayout) return false;
  const std::vector<AxisSize>& steps = c[key::time].list;
  if (steps.empty()) return true;
  return steps.size() == 1 && steps[0].size == 1 && steps[0].axis == f.axes[f.above_update].name &&
         f.axes.size() > f.above_update + 1 && tile.list[0].axis == f.axes[f.above_update + 1].name;
}

}  // namespace

std::vector<AxisSizes> tiles_of_phases(const NestFacts& f) {
  std::vector<AxisSizes> r;
  if (!f.on_processors() || f.options.threads < 2 || has_loops_for_threads(f)) return r;
  for (const NestFacts::PhaseAxis& axis : f.phases)
    for (const std::int64_t width : axis.name == f.axes.back().name ? kElements : kPlanes)
      if (width >= axis.least && 2 * width <= axis.extent.value_or(2 * width))
        r.push_back({{{axis.name, width}}});
  return r;
}

namespace decisions {

const Decision& phases() {
  static const auto& d =
      *new Decision(decide(key::phases)
                        .offers([](const NestFacts& f) {
                          std::vector<AxisSizes> r = tiles_of_phases(f);
                          if (!r.empty()) r.insert(r.begin(), AxisSizes{});
                          return r;
                        })
                        .of_stored_stages_too()
                        .admitted(admits_phases)
                        .said([](const NestFacts&, const Configuration& c) -> std::string {
                          if (c[key::phases].empty()) return "";
                          return "tiles of " + c[key::phases].list[0].axis + " in two phases";
                        }));
  return d;
}

}  // namespace decisions
}  // namespace lift
