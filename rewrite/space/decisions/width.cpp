// Elements of a vector, which are neighbours: every second cell of a row, when the colours are stored apart.
// The steps are those of the inner loop.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace decisions {

/// Cells that reduce have accumulators in registers, where a tile of them is one vector: longer ones, too.
const Decision& width() {
  static const auto& d =
      *new Decision(decide(key::width)
                        .offers([](const NestFacts& f) {
                          std::vector<std::int64_t> r{1};
                          if (f.lanes == 1 || !f.vectors) return r;
                          const std::int64_t most = f.inside == Inside::folds ? 8 : 2;
                          for (std::int64_t n = 1; n <= most; n *= 2)
                            if (n <= 2 || n * f.lanes <= 64) r.push_back(n * f.lanes);
                          return r;
                        })
                        .admitted([](const NestFacts& f, const Configuration& c, const std::int64_t& w) {
                          if (!is_vector(c)) return w == 1;
                          return w == f.lanes || (w > 1 && inner_trips(f, c, 1 << 30) >=
                                                               w * (is_split(c) ? inner_stride(f) : 1));
                        }));
  return d;
}

}  // namespace decisions
}  // namespace lift
