// Points of a vector. The steps are those of the loops over points.
#include "rewrite/space/columns/columns.hpp"

namespace lift {

namespace columns {

const ColumnDecision& width() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::width)
          .offers([](const ColumnFacts& f) {
            std::vector<std::int64_t> r{1};
            if (f.lanes > 1) r.insert(r.end(), {f.lanes, 2 * f.lanes});
            return r;
          })
          .admitted([](const ColumnFacts& f, const Configuration& c, const std::int64_t& w) {
            if (!is_vector(c)) return w == 1;
            return w == f.lanes || (w != 1 && points(f, c) >= w);
          }));
  return d;
}

}  // namespace columns
}  // namespace lift
