// Whether loops over cells within those over elements are over vectors, and of how many cells.
#include "rewrite/space/folds/folds.hpp"

namespace lift {
namespace folds {

const FoldDecision& inner() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::inner)
                            .offers([](const FoldFacts& f) {
                              const bool vectors =
                                  f.lanes > 1 && f.across && f.outside && *f.axes.back().extent >= f.lanes;
                              return vectors ? std::vector{Inner::seq, Inner::vec} : std::vector{Inner::seq};
                            })
                            .admitted([](const FoldFacts&, const Configuration& c, const Inner& inner) {
                              return inner == Inner::seq || !is_by_cells(c);
                            })
                            .said([](const FoldFacts&, const Configuration& c) -> std::string {
                              return is_vector(c) ? "vec" : "seq";
                            }));
  return d;
}

/// A tile of one vector has its accumulators in registers.
const FoldDecision& width() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::width)
                            .offers([](const FoldFacts& f) {
                              std::vector<std::int64_t> r{1};
                              for (const std::int64_t n : {1, 2, 4, 8})
                                if (f.lanes > 1 && n * f.lanes <= 64) r.push_back(n * f.lanes);
                              return r;
                            })
                            .admitted([](const FoldFacts& f, const Configuration& c, const std::int64_t& w) {
                              if (!is_vector(c)) return w == 1;
                              return w == f.lanes || (w != 1 && cells(f, c) >= w);
                            }));
  return d;
}

}  // namespace folds
}  // namespace lift
