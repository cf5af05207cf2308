// Which loops around the scans run on threads: all outer ones up to one of them.

#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace {

std::vector<Loops> parallel_loops(const ColumnFacts& f, const Configuration& c) {
  Loops now;
  std::vector<Loops> r;
  std::int64_t iterations = 1;
  for (const std::string& name : columns::loops_around(f, c)) {
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

std::vector<std::string> columns::loops_around(const ColumnFacts& f, const Configuration& c) {
  std::vector<std::string> r;
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (f.axes[a].extent != 1) r.push_back(f.axes[a].name);
  if (!c[key::tile].empty()) r.emplace_back("ii");
  if (is_by_columns(c)) r.emplace_back("i");
  return r;
}

std::vector<Loops> columns::of_all_shapes(const ColumnFacts& f,
                                          std::vector<Loops> (*loops)(const ColumnFacts&,
                                                                      const Configuration&)) {
  std::vector<Loops> all;
  for (const Loops& order : orders(f))
    for (const AxisSizes& tile : {AxisSizes{}, "i8"_sizes})
      for (const Loops& l : loops(f, {{key::order, order}, {key::tile, tile}})) add_new(all, l);
  return all;
}

namespace columns {

const ColumnDecision& parallel() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::parallel)
          .offers([](const ColumnFacts& f) {
            return f.on_grid() ? std::vector<Loops>{} : of_all_shapes(f, parallel_loops);
          })
          .of_stored_stages_too()
          .chosen_among(parallel_loops)
          .taken([](Deriver& deriver, const ColumnFacts& f, const Configuration& c, const Place&) {
            if (!f.on_grid()) run_around(deriver, f, c);
          }));
  return d;
}

}  // namespace columns
}  // namespace lift
