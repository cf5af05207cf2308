// Sweeps in rings a strip of the result at a time, so that threads share one array without waiting for one
// another: planes along the outermost axis in a strip. What lies beyond a strip is computed by two threads.
#include <algorithm>

#include "rewrite/space/nest/decisions.hpp"

namespace lift {

std::vector<std::int64_t> strip_widths(const NestFacts& f) {
  std::int64_t around = 1;
  for (std::size_t a = 0; a < f.above_update; ++a) around *= f.axes[a].extent.value_or(1000);
  if (!f.rings || f.on_grid() || around >= f.options.threads) return {};
  const auto extent = f.axes[f.above_update].extent;
  const std::int64_t planes = extent.value_or(256 * f.options.threads) + 2,  // with a border of one
      at_least = 4 * static_cast<std::int64_t>(f.sweeps);                    // or else much is computed twice
  std::vector<std::int64_t> r;
  for (const std::int64_t each : {1, 2, 8}) {
    const std::int64_t of_thread = each * f.options.threads, width = (planes + of_thread - 1) / of_thread;
    if (width >= at_least || each == 1) r.push_back(width);
  }
  return r;
}

namespace nest {

const NestDecision& strips() {
  static const NestDecision d =
      decide<NestFacts>(key::strips)
          .offers([](const NestFacts& f) {
            std::vector<std::int64_t> r = strip_widths(f);
            if (!r.empty()) r.insert(r.begin(), 0);
            return r;
          })
          .of_stored_stages_too()
          .admitted([](const NestFacts& f, const Configuration& c, std::int64_t strip) {
            const std::vector<std::int64_t> known = strip_widths(f);
            return strip == 0 ||
                   (c[key::rings] && std::find(known.begin(), known.end(), strip) != known.end());
          })
          .said("a strip at a time");
  return d;
}

}  // namespace nest
}  // namespace lift
