// Elements of a vector, which are neighbours: every second cell of a row, when the colours are stored apart.
// The steps are those of the inner loop.
#include "rewrite/space/nest/decisions.hpp"

namespace lift {

namespace nest {

const NestDecision& width() {
  static const auto& d = *new NestDecision(
      decide<NestFacts>(key::width)
          .offers([](const NestFacts& f) {
            std::vector<std::int64_t> r{1};
            if (f.lanes > 1 && f.vectors) r.insert(r.end(), {f.lanes, 2 * f.lanes});
            return r;
          })
          .admitted([](const NestFacts& f, const Configuration& c, const std::int64_t& w) {
            if (!is_vector(c)) return w == 1;
            return w == f.lanes || (w == 2 * f.lanes &&
                                    inner_trips(f, c, 1 << 30) >= w * (is_split(c) ? inner_stride(f) : 1));
          }));
  return d;
}

}  // namespace nest
}  // namespace lift
