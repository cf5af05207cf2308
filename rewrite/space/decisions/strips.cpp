// Sweeps in rings a strip of the result at a time, so that threads share one array without waiting for one
// another, or so that the planes that rings hold are small. What lies beyond a strip is computed twice.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

constexpr std::int64_t kRowsOfStrip[] = {32, 16, 64};
constexpr std::int64_t kElementsOfStrip[] = {2048, 1024, 4096};  ///< of rows, where there are no planes
/// Of lines, the rings of all stages within the nearest cache: 1-D sweeps take half the time of 2048 elements
/// a strip.
constexpr std::int64_t kElementsOfLine[] = {512, 1024, 256, 2048, 4096};
constexpr std::int64_t kOfCache = std::int64_t{1} << 20;  ///< bytes that rings of whole planes may take

/// A strip a thread, or a few.
std::vector<AxisSizes> of_planes(const NestFacts& f) {
  const Axis& axis = f.axes[f.above_update];
  const std::int64_t threads = f.options.threads,
                     planes = axis.extent.value_or(256 * threads) + 2,  // with a border of one
      at_least = 4 * static_cast<std::int64_t>(f.in_time);              // or else much is computed twice
  std::vector<AxisSizes> r;
  for (const std::int64_t each : {1, 2, 8}) {
    const std::int64_t width = (planes + each * threads - 1) / (each * threads);
    if (width >= at_least || each == 1) r.push_back({{{axis.name, width}}});
  }
  return r;
}

std::vector<AxisSizes> of_rows(const NestFacts& f) {
  std::vector<AxisSizes> r;
  const std::size_t axes = f.axes.size() - f.above_update;
  if (axes < 2) return r;
  const Axis& axis = f.axes[f.above_update + 1];
  for (const std::int64_t width : axes == 2 ? kElementsOfStrip : kRowsOfStrip)
    if (width < axis.extent.value_or(width + 1)) r.push_back({{{axis.name, width}}});
  return r;
}

/// What a cache of a thread's own holds of all stages.
std::vector<AxisSizes> of_lines(const NestFacts& f) {
  std::vector<AxisSizes> r;
  for (const std::int64_t width : kElementsOfLine) r.push_back({{{f.axes[0].name, width}}});
  return r;
}

/// Whether what rings hold of whole planes is more than a cache of a thread's own.
bool planes_are_large(const NestFacts& f) {
  std::int64_t bytes = 8 * (3 * static_cast<std::int64_t>(f.in_time));
  for (std::size_t a = f.above_update + 1; a < f.axes.size(); ++a) bytes *= f.axes[a].extent.value_or(256);
  return bytes > kOfCache;
}

}  // namespace

bool has_loops_for_threads(const NestFacts& f) {
  std::int64_t around = f.chain.around;
  for (std::size_t a = 0; a < f.above_update; ++a) around *= f.axes[a].extent.value_or(1000);
  return around >= f.options.threads;
}

AxisSizes strips_a_thread(const NestFacts& f, std::int64_t each) {
  const std::int64_t threads = each * f.options.threads,
                     planes = f.chain.planes > 0 ? f.chain.planes : std::int64_t{256} * f.options.threads;
  return {{{*f.chain.steps, (planes + threads) / threads}}};
}

std::vector<AxisSizes> strips_of(const NestFacts& f) {
  if (f.inside == Inside::stages) {
    if (!f.chain.tiles || has_loops_for_threads(f)) return {};
    return {strips_a_thread(f, 1), strips_a_thread(f, 4)};
  }
  if (f.on_grid()) return group_tiles(f);
  if (!f.rings || f.no_tiles) return {};
  if (f.lines) return of_lines(f);
  std::vector<AxisSizes> r, rows = of_rows(f);
  if (!has_loops_for_threads(f)) r = of_planes(f);
  r.insert(planes_are_large(f) ? r.begin() : r.end(), rows.begin(), rows.end());
  return r;
}

namespace decisions {

const Decision& strips() {
  static const auto& d = *new Decision(
      decide(key::strips)
          .offers([](const NestFacts& f) {
            std::vector<AxisSizes> r = strips_of(f);
            if (!r.empty() || f.inside == Inside::stages) r.insert(r.begin(), AxisSizes{});
            return r;
          })
          .of_stored_stages_too()
          .admitted([](const NestFacts& f, const Configuration& c, const AxisSizes& strip) {
            if (f.inside == Inside::stages) return strip.empty() || c[key::time].list.size() == 1;
            if (f.on_grid() && strip.empty() == goes_in_groups(f, c)) return false;
            if (f.lines && strip.empty() != c[key::time].empty()) return false;
            const std::vector<AxisSizes> known = f.on_grid() ? group_tiles(f, c[key::loads]) : strips_of(f);
            const bool rings = c[key::rings] || f.inside == Inside::groups;
            return strip.empty() || (rings && std::find(known.begin(), known.end(), strip) != known.end());
          })
          .said([](const NestFacts& f, const Configuration& c) -> std::string {
            if (c[key::strips].empty()) return "";
            std::string axes;
            for (const AxisSize& s : c[key::strips].list) axes += " " + s.axis;
            return (f.on_grid() ? "overlapped tiles of" : "strips of") + axes;
          }));
  return d;
}

}  // namespace decisions
}  // namespace lift
