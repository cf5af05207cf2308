#include "gmg/colours.hpp"

#include <algorithm>
#include <set>

namespace lift::gmg {
namespace {

/// The differences between a cell and what an offset of it along one dimension finds, on any cell of the
/// grid.
std::set<int> differences(int offset, const Domain& grid, std::size_t d) {
  std::set<int> all{offset};
  if (grid.is_periodic(d)) return all;
  // From x < -offset, the reflection of x + offset < 0 is -1 - (x + offset); the high face likewise.
  const int reach = std::abs(offset), sign = offset < 0 ? 1 : -1;
  for (int x = 0; x < reach; ++x) all.insert(sign * (reach - 1 - 2 * x));
  return all;
}

/// Of cells, or of lines along a dimension.
bool admits(const Colours& colours, const Equation& equation, const Domain& grid,
            std::optional<std::size_t> line = std::nullopt) {
  for (std::size_t d = 0; d < grid.dimensions(); ++d)
    if (d != line && grid.is_periodic(d) && grid.cells()[d] % colours.modulus != 0) return false;
  for (const Offset& offset : equation.footprint()) {
    std::vector<std::vector<int>> along;
    for (std::size_t d = 0; d < offset.size(); ++d) {
      const std::set<int> s = differences(offset[d], grid, d);
      along.emplace_back(s.begin(), s.end());
    }
    std::vector<std::size_t> which(along.size(), 0);
    while (true) {
      bool itself = true, same = true;
      for (std::size_t d = 0; d < along.size(); ++d)
        itself = itself && (d == line || along[d][which[d]] == 0);
      for (const std::vector<bool>& row : colours.rows) {
        std::int64_t sum = 0;
        for (std::size_t d = 0; d < along.size(); ++d)
          if (row[d]) sum += along[d][which[d]];
        same = same && sum % colours.modulus == 0;
      }
      if (same && !itself) return false;
      std::size_t d = along.size();
      while (d > 0 && ++which[d - 1] == along[d - 1].size()) which[--d] = 0;
      if (d == 0) break;
    }
  }
  return true;
}

}  // namespace

std::size_t Colours::count() const {
  std::size_t n = 1;
  for (std::size_t r = 0; r < rows.size(); ++r) n *= static_cast<std::size_t>(modulus);
  return n;
}

std::vector<std::int64_t> Colours::numbers(std::size_t colour) const {
  std::vector<std::int64_t> all(rows.size());
  for (std::int64_t& x : all) {
    x = static_cast<std::int64_t>(colour) % modulus;
    colour /= static_cast<std::size_t>(modulus);
  }
  return all;
}

Colours line_colours(const Equation& equation, const Domain& grid, std::size_t dimension) {
  std::vector<bool> all(grid.dimensions(), true);
  all[dimension] = false;
  std::vector<std::vector<bool>> single;
  for (std::size_t d = 0; d < grid.dimensions(); ++d)
    if (d != dimension) single.emplace_back(grid.dimensions(), false), single.back()[d] = true;
  for (const Colours& c : {Colours{2, {all}}, Colours{3, {all}}, Colours{2, single}, Colours{3, single}})
    if (admits(c, equation, grid, dimension)) return c;
  return {1, {}};
}

std::string str(const Colours& c) {
  return c.count() == 2 ? "red-black" : std::to_string(c.count()) + " colours";
}

std::optional<Colours> colours_of(const Equation& equation, const Domain& grid) {
  const std::size_t rank = grid.dimensions();
  std::vector<Colours> candidates;
  const std::vector<bool> all(rank, true);
  std::vector<std::vector<bool>> single, pairs;
  for (std::size_t d = 0; d < rank; ++d) {
    std::vector<bool> row(rank, false);
    row[d] = true;
    single.push_back(row);
    if (d == 0) continue;
    row[d - 1] = true;
    pairs.push_back(row);
  }
  for (const std::int64_t m : {2, 3}) {
    candidates.push_back({m, {all}});
    if (rank == 3) candidates.push_back({m, pairs});
    if (rank > 1) candidates.push_back({m, single});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Colours& a, const Colours& b) { return a.count() < b.count(); });
  for (const Colours& c : candidates)
    if (c.count() <= 9 && admits(c, equation, grid)) return c;
  return std::nullopt;
}

}  // namespace lift::gmg
