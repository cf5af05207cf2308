// Which loops around the scans are the grid's: two or three neighbours up to the innermost, or without it.
// Columns in tiles: a work-group each.
#include <algorithm>

#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace {

std::vector<Loops> grids(const ColumnFacts& f, const Configuration& c) {
  if (!c[key::tile].empty() && columns::is_by_columns(c)) return {{Loops::By::groups, {}}};
  const std::vector<std::string> all = columns::loops_around(f, c);
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<Loops> r;
  for (std::size_t end = all.size(); end > 0 && end + 2 > all.size(); --end)
    for (const std::size_t length : {3U, 2U, 1U})
      if (length <= end && (length == 3 || length == end || end - length == 1))
        r.push_back({Loops::By::itself, {at(end - length), at(end)}});
  if (r.empty()) return {{}};
  if (!f.options.cpu || columns::is_by_columns(c)) return r;
  std::vector<Loops> solo = r;  // a processor's groups of one item each go through their tiles as threads do
  for (Loops& l : solo) l.by = Loops::By::solo;
  r.insert(r.begin(), solo.begin(), solo.end());
  return r;
}

}  // namespace

void columns::run_around(Deriver& d, const ColumnFacts& f, const Configuration& c) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a) names.push_back(f.axes[a].name);
  if (!c[key::tile].empty()) names.emplace_back("ii");
  if (is_by_columns(c)) names.emplace_back("i");
  const bool groups = is_by_groups(c);
  std::vector<std::string> parallel = f.on_grid() ? c[key::grid].names : c[key::parallel].names;
  if (groups) parallel.assign(names.begin(), names.end() - 1);  // the tiles and the loops around them
  const std::ptrdiff_t most = 4;  // dimensions of a grid; the last two share one
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto dimension = parallel.end() - std::find(parallel.begin(), parallel.end(), names[i]) - 1;
    if (groups && i + 1 == names.size())
      d.step("map-lcl", {0}, d.level(i));
    else if (dimension < 0 || dimension >= most)
      d.step("map-seq", d.level(i));
    else if (!f.on_grid())
      d.step("map-par", d.level(i));
    else
      d.step(groups || is_solo(c) ? "map-wrg" : "map-glb", {dimension}, d.level(i));
  }
}

namespace columns {

const ColumnDecision& grid() {
  static const auto& d = *new ColumnDecision(
      decide<ColumnFacts>(key::grid)
          .offers([](const ColumnFacts& f) {
            return f.on_grid() ? of_all_shapes(f, grids) : std::vector<Loops>{};
          })
          .chosen_among(grids)
          .taken([](Deriver& deriver, const ColumnFacts& f, const Configuration& c, const Place&) {
            if (f.on_grid()) run_around(deriver, f, c);
          })
          .said([](const ColumnFacts& f, const Configuration& c) -> std::string {
            return f.on_grid() ? "grid " + key::grid.text(c[key::grid]) : "";
          }));
  return d;
}

}  // namespace columns
}  // namespace lift
