// How a reduction takes up its elements: in vectors, with accumulators side by side, or several in a row, so
// that accumulators in memory are loaded and stored once for all of them.
#include "rewrite/space/folds/folds.hpp"

namespace lift {
namespace folds {

const FoldDecision& lanes() {
  static const auto& d = *new FoldDecision(
      decide<FoldFacts>(key::lanes)
          .offers([](const FoldFacts& f) {
            std::vector<std::int64_t> r{1};
            for (const std::int64_t n : {1, 2, 4, 8})
              if (f.lanes > 1 && f.along && f.any_order && n * f.lanes <= 64) r.push_back(n * f.lanes);
            return r;
          })
          .admitted([](const FoldFacts& f, const Configuration& c, const std::int64_t& lanes) {
            if (lanes == 1) return true;
            if (is_by_cells(c)) return lanes <= f.elements;
            // What the lanes make is not worth a loop, and all accumulators are in registers.
            return !is_vector(c) && !f.joined && f.numbers && lanes <= std::min(kFewScalars, f.elements);
          })
          .said("lanes"));
  return d;
}

const FoldDecision& unroll() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::unroll)
                            .offers([](const FoldFacts& f) {
                              std::vector<std::int64_t> r{1};
                              for (const std::int64_t n : {2, 4, 8})
                                if (f.outside && !f.joined && 4 * n <= f.elements) r.push_back(n);
                              return r;
                            })
                            .admitted([](const FoldFacts& f, const Configuration& c, const std::int64_t& n) {
                              const std::int64_t part = part_of_elements(c);
                              return n == 1 || (4 * n <= (part > 0 ? part : f.elements) && !is_by_cells(c) &&
                                                c[key::lanes] == 1);
                            })
                            .said("unrolled")
                            .is_switch("unrolling", "no loop is left to a thread or work-item"));
  return d;
}

}  // namespace folds
}  // namespace lift
