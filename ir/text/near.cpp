#include "ir/text/near.hpp"

#include <algorithm>
#include <numeric>

namespace lift {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t x = 0; x < a.size(); ++x) {
    std::size_t diagonal = row[0]++;
    for (std::size_t y = 0; y < b.size(); ++y) {
      const std::size_t above = row[y + 1];
      row[y + 1] = std::min({above + 1, row[y] + 1, diagonal + (a[x] == b[y] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string nearest(std::string_view text, const std::vector<std::string>& names) {
  std::string best;
  if (text.size() < 2) return "";
  std::size_t distance = text.size() < 3 ? 2 : std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string& name : names)
    if (const std::size_t d = edits(text, name); d < distance && d < std::max(text.size(), name.size()))
      distance = d, best = name;
  return best;
}

}  // namespace lift
