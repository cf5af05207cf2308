// Parts of the elements that threads reduce side by side, each for all cells of a row: what a part makes is
// stored, and reduced in turn. Rows are then read as they lie in memory, and few cells keep all threads busy.
#include "rewrite/space/folds/folds.hpp"

namespace lift {

std::int64_t folds::part_of_elements(const Configuration& c) {
  const AxisSizes& parts = c[key::parts];
  return parts.empty() ? 0 : parts.list[0].size;
}

std::int64_t folds::elements_of_parts(std::int64_t elements, std::int64_t n) {
  for (const std::int64_t block : {8, 4})
    if (elements >= 50 * block * n * n) return elements / n / block * block;
  return elements / n;
}

namespace folds {

const FoldDecision& parts() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::parts)
                            .offers([](const FoldFacts& f) {
                              std::vector<AxisSizes> r{{}};
                              const std::int64_t threads = f.options.threads;
                              const bool can =
                                  f.any_order && f.across && f.outside && !f.joined && f.axes.size() == 1;
                              for (const std::int64_t n : {threads, 4 * threads})
                                if (can && threads > 1 && f.elements >= 8 * n)
                                  r.push_back({{{"k", elements_of_parts(f.elements, n)}}});
                              return r;
                            })
                            .admitted([](const FoldFacts&, const Configuration& c, const AxisSizes& parts) {
                              return parts.empty() || is_vector(c);
                            })
                            .said([](const FoldFacts&, const Configuration& c) -> std::string {
                              return c[key::parts].empty() ? "" : "parts of k";
                            }));
  return d;
}

}  // namespace folds
}  // namespace lift
