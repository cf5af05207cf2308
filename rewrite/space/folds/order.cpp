// Whether the elements are the inner loop, or go around the cells.
#include "rewrite/space/folds/folds.hpp"

namespace lift {

bool folds::is_by_cells(const Configuration& c) {
  const Loops& order = c[key::order];
  return order.names.empty() || order.names.back() == "k";
}

std::int64_t folds::cells(const FoldFacts& f, const Configuration& c) {
  const AxisSizes& tile = c[key::tile];
  return tile.empty() ? *f.axes.back().extent : tile.list[0].size;
}

namespace folds {

const FoldDecision& order() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::order)
                            .offers([](const FoldFacts& f) {
                              std::vector<Loops> r{"i k"_loops};
                              if (f.outside) r.push_back("k i"_loops);
                              return r;
                            })
                            .said([](const FoldFacts&, const Configuration& c) -> std::string {
                              return is_by_cells(c) ? "" : "elements outside cells";
                            })
                            .is_switch("loop order", "there is one order of the loops only"));
  return d;
}

}  // namespace folds
}  // namespace lift
