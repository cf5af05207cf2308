// Which loops around the reductions run on threads: all outer ones up to one of them.
#include "rewrite/space/folds/folds.hpp"

namespace lift {
namespace {

std::vector<Loops> parallel_loops(const FoldFacts& f, const Configuration& c) {
  Loops now;
  std::vector<Loops> r;
  std::int64_t iterations = 1;
  for (const std::string& name : folds::loops_around(f, c)) {
    if (now.names.size() == 3) break;
    now.names.push_back(name);
    const bool few = iterations < std::int64_t{32} * f.options.threads;
    for (const Axis& a : f.axes)
      if (a.name == name) iterations *= a.extent.value_or(1000);
    r.insert(few ? r.begin() : r.end(), now);  // the shortest with enough iterations comes first
  }
  if (r.empty()) r.emplace_back();
  return r;
}

}  // namespace

std::vector<std::string> folds::loops_around(const FoldFacts& f, const Configuration& c) {
  std::vector<std::string> r;
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (f.axes[a].extent != 1) r.push_back(f.axes[a].name);
  if (!c[key::tile].empty()) r.emplace_back("ii");
  if (is_by_cells(c)) r.emplace_back("i");
  return r;
}

namespace folds {

const FoldDecision& parallel() {
  static const auto& d =
      *new FoldDecision(decide<FoldFacts>(key::parallel)
                            .offers([](const FoldFacts& f) {
                              std::vector<Loops> all;
                              for (const Loops& order : {"i k"_loops, "k i"_loops})
                                for (const AxisSizes& tile : {AxisSizes{}, "i8"_sizes})
                                  if (const Configuration c{{key::order, order}, {key::tile, tile}};
                                      tile.empty() || !is_by_cells(c))
                                    for (const Loops& l : parallel_loops(f, c)) add_new(all, l);
                              return all;
                            })
                            .chosen_among(parallel_loops));
  return d;
}

}  // namespace folds
}  // namespace lift
