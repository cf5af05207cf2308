// Decisions on programs of scans along columns: whether the levels are the inner loop or go around the points
// of a row, what is parallel, how many columns a work-group has, whether the level before stays in registers,
// how far ahead levels are asked for, and where columns with a name live.
#include <algorithm>

#include "rewrite/space/decide.hpp"

namespace lift {
namespace {

std::int64_t points(const SpaceFacts& f, const Configuration& c) {
  const std::string tile = chosen(c, "tile", "none");
  return tile == "none" ? f.axes.back().extent.value_or(1 << 20) : std::stoll(tile.substr(1));
}

/// Names of the loops of a configuration around the scans, outer to inner, without those of one iteration.
Values loops(const SpaceFacts& f, const Configuration& c) {
  Values r;
  for (std::size_t a = 0; a + 1 < f.axes.size(); ++a)
    if (f.axes[a].extent != 1) r.push_back(f.axes[a].name);
  if (chosen(c, "tile", "none") != "none") r.emplace_back("ii");
  if (is_by_columns(f, c)) r.emplace_back("i");
  return r;
}
std::string joined(Values::const_iterator begin, Values::const_iterator end) {
  std::string s;
  for (; begin != end; ++begin) s += (s.empty() ? "" : " ") + *begin;
  return s;
}

/// Loops that may be parallel together: all outer ones up to one of them.
Values parallel_values(const SpaceFacts& f, const Configuration& c) {
  const Values all = loops(f, c);
  Values r;
  std::int64_t iterations = 1;
  for (std::size_t n = 1; n <= all.size() && n <= 3; ++n) {
    const std::string text = joined(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    const bool few = iterations < 32 * f.options.threads;
    for (const NestAxis& a : f.axes)
      if (a.name == all[n - 1]) iterations *= a.extent.value_or(1000);
    if (few)
      r.insert(r.begin(), text);  // the shortest with enough iterations comes first
    else
      r.push_back(text);
  }
  if (r.empty()) r.emplace_back("none");
  return r;
}
bool is_tiled(const Configuration& c) { return chosen(c, "tile", "none") != "none"; }

/// Loops over work-items: two or three neighbours up to the innermost, or without it. Columns in tiles: a
/// work-group each.
Values grid_values(const SpaceFacts& f, const Configuration& c) {
  if (is_tiled(c) && is_by_columns(f, c)) return {"groups"};
  const Values all = loops(f, c);
  Values r;
  for (std::size_t end = all.size(); end > 0 && end + 2 > all.size(); --end)
    for (const std::size_t length : {3U, 2U, 1U})
      if (length <= end && (length == 3 || length == end || end - length == 1))
        r.push_back(joined(all.begin() + static_cast<std::ptrdiff_t>(end - length),
                           all.begin() + static_cast<std::ptrdiff_t>(end)));
  if (r.empty()) return {"none"};
  if (!f.options.cpu || !is_by_levels(f, c)) return r;
  Values solo;  // a processor's groups of one item each go through their tiles as threads do
  for (const std::string& v : r) solo.push_back("solo " + v);
  r.insert(r.begin(), solo.begin(), solo.end());
  return r;
}

Values tile_values(const SpaceFacts& f) {
  Values all{"none"};
  const std::int64_t n = f.axes.back().extent.value_or(1);
  for (const std::int64_t most : {8, 16, 32, 64, 128, 256}) {
    if (most == 256 && !is_grid(f.options.target)) continue;
    std::int64_t k = most;
    while (n % k != 0) --k;
    if (n > k && k >= 3) add_new(all, "i" + std::to_string(k));
  }
  return all;
}
/// A work-group has a tile of columns, or a work-item goes through a tile of each level.
bool admits_tile(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  return value == "none" || !is_grid(f.options.target) || is_by_levels(f, c) ||
         std::stoull(value.substr(1)) <= f.options.max_work_group;
}

/// Levels ahead, where they are the inner loop; else elements of a row.
bool admits_prefetch(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (value == "0") return true;
  const std::int64_t ahead = std::stoll(value);
  return is_by_columns(f, c) ? ahead <= 4 : ahead >= 16 && points(f, c) > ahead;
}

Values all_of(const SpaceFacts& f, Values (*values)(const SpaceFacts&, const Configuration&)) {
  Values all;
  for (const std::string& order : order_values(f))
    for (const char* tile : {"none", "i8"})
      for (const std::string& v : values(f, {{"order", order}, {"tile", tile}})) add_new(all, v);
  return all;
}

}  // namespace

std::vector<Decision> column_decisions(const SpaceFacts& f) {
  const auto by_columns = [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
    return value == "no" || value == "1" || is_by_columns(facts, c);
  };
  std::vector<Decision> r{{"order", order_values(f), always}, {"tile", tile_values(f), admits_tile}};
  if (is_grid(f.options.target))
    r.push_back({"grid", all_of(f, grid_values),
                 [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
                   return contains(grid_values(facts, c), value);
                 }});
  else
    r.push_back({"parallel", all_of(f, parallel_values),
                 [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
                   return contains(parallel_values(facts, c), value);
                 }});
  Values inner{"seq"}, widths{"1"};
  if (f.lanes > 1) {
    inner.emplace_back("vec");
    for (const std::int64_t w : {f.lanes, 2 * f.lanes}) widths.push_back(std::to_string(w));
  }
  r.push_back({"inner", inner, [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
                 return value == "seq" || (is_by_levels(facts, c) && points(facts, c) >= facts.lanes);
               }});
  r.push_back(
      {"width", widths, [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
         if (!is_vector(c)) return value == "1";
         return value == std::to_string(facts.lanes) ||
                (value != "1" && points(facts, c) >= std::stoll(value));
       }});
  r.push_back({"kcache", {"no", "yes"}, by_columns});
  r.push_back({"unroll", {"1", "2", "4"}, by_columns});
  r.push_back({"prefetch", {"0", "1", "2", "4", "16", "64"}, admits_prefetch});
  if (f.named_columns > 0)
    r.push_back({"keep",
                 {"work", "private"},
                 [](const SpaceFacts& facts, const Configuration& c, const std::string& value) {
                   const std::int64_t bytes =
                       8 * facts.named_columns * (is_by_levels(facts, c) ? points(facts, c) : 1);
                   if (!on_processors(facts.options))
                     return value == "work";  // a work-item's own array is in global memory anyway
                   const bool many = is_grid(facts.options.target) &&
                                     !is_solo(c);  // items of a group, which have one stack
                   return value == "work" || bytes <= (many ? 16 : 512) * 1024;
                 }});
  return r;
}

}  // namespace lift
