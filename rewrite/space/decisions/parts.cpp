// Which parts of a reduction are made side by side, by threads or by work-groups: of whole axes, or chunks.
// What a part makes is stored, and reduced in turn.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Chunks of all elements, where these are in one array or the chunks have no rest; those of `enough` chunks
/// first.
std::vector<AxisSizes> chunks(const NestFacts& f, std::int64_t enough, std::int64_t around) {
  const std::int64_t row = *f.reduction.over.back().extent, n = around * row;
  std::vector<AxisSizes> r;
  const auto offer = [&](std::int64_t size) { r.push_back({{AxisSize{"i", size}}}); };
  if (f.on_processors()) {
    if (around > 1) return {};
    for (const std::int64_t k : {65536, 16384, 4096, 1024})
      if (row >= 4 * k * f.options.threads) offer(k);
    if (r.empty() && row >= std::int64_t{2} * f.options.threads) offer(row / f.options.threads);
    return r;
  }
  for (const std::int64_t k : {65536, 16384, 4096, 1024})
    if (n >= 4 * k && (f.reduction.fills || around == 1 || n % k == 0)) offer(k);
  if (r.empty()) return r;
  const auto first = std::find_if(r.begin(), r.end() - 1,
                                  [&](const AxisSizes& chunk) { return n / chunk.list[0].size >= enough; });
  std::rotate(r.begin(), first, first + 1);
  return r;
}

/// Of a fold's elements, which threads reduce side by side, each for all cells of a row: rows are then read
/// as they lie in memory, and few cells keep all threads busy.
std::vector<AxisSizes> parts_of_elements(const NestFacts& f) {
  std::vector<AxisSizes> r{{}};
  const std::int64_t threads = f.options.threads;
  const FoldFacts& x = f.folds;
  const bool can = x.any_order && x.across && x.outside && !x.joined && f.axes.size() == 1 && threads > 1;
  for (const std::int64_t n : {threads, 4 * threads})
    if (can && x.elements >= 8 * n) r.push_back({{{"k", elements_of_parts(x.elements, n)}}});
  return r;
}

std::vector<AxisSizes> all_parts(const NestFacts& f) {
  if (f.inside == Inside::folds) return parts_of_elements(f);
  if (f.reduction.places.empty()) return {};
  std::vector<AxisSizes> r;
  AxisSizes axes;
  std::int64_t parts = 1, around = 1;
  const std::int64_t enough = f.on_processors() ? 32 * f.options.threads : 1 << 10;
  for (std::size_t a = 0; a + 1 < f.reduction.over.size(); ++a) {
    const std::int64_t n = *f.reduction.over[a].extent;
    around *= n;
    if (n == 1) continue;
    axes.list.push_back({f.reduction.over[a].name, 1});
    // The shortest that gives everyone enough parts to balance comes first.
    const bool are_few = parts < enough;
    if (are_few) parts *= n;
    if (are_few && parts >= enough)
      r.insert(r.begin(), axes);
    else
      r.push_back(axes);
  }
  if (parts < enough && !r.empty()) std::rotate(r.begin(), r.end() - 1, r.end());
  const std::vector<AxisSizes> cut = chunks(f, enough, around);
  r.insert(f.on_processors() ? r.end() : r.begin(), cut.begin(), cut.end());
  const bool few = !f.on_processors() && around * *f.reduction.over.back().extent <= kFewForGroups;
  r.insert(few ? r.begin() : r.end(), AxisSizes{});
  std::erase_if(r, [&](const AxisSizes& p) { return !can_be_joined(f, joined_axes(f, p)); });
  return r;
}

std::string parts_words(const NestFacts&, const Configuration& c) {
  std::string axes;
  for (const AxisSize& s : c[key::parts].list) axes += " " + s.axis;
  return axes.empty() ? "" : "parts of" + axes;
}

}  // namespace

std::int64_t part_of_elements(const Configuration& c) {
  const AxisSizes& parts = c[key::parts];
  return parts.empty() ? 0 : parts.list[0].size;
}

std::int64_t elements_of_parts(std::int64_t elements, std::int64_t n) {
  for (const std::int64_t block : {8, 4})
    if (elements >= 50 * block * n * n) return elements / n / block * block;
  return elements / n;
}

std::optional<std::int64_t> chunk_of(const AxisSizes& parts) {
  if (parts.list.size() == 1 && parts.list[0].size > 1) return parts.list[0].size;
  return std::nullopt;
}

std::size_t joined_axes(const NestFacts& f, const AxisSizes& parts) {
  if (chunk_of(parts)) return f.reduction.over.size() - 1;
  std::size_t joined = 0;
  for (std::size_t a = 0; a < f.reduction.over.size(); ++a)
    for (const AxisSize& s : parts.list)
      if (s.axis == f.reduction.over[a].name) joined = a;
  return joined;
}

bool can_be_joined(const NestFacts& f, std::size_t axes) {
  return std::min(axes, f.reduction.nested) <= f.reduction.joins;
}

std::int64_t part_length(const NestFacts& f, const AxisSizes& parts) {
  if (const auto chunk = chunk_of(parts)) return *chunk;
  std::int64_t n = 1;
  for (const Axis& a : f.reduction.over) {
    const bool named = std::any_of(parts.list.begin(), parts.list.end(),
                                   [&](const AxisSize& s) { return s.axis == a.name; });
    n = named ? 1 : n * *a.extent;
  }
  return n;
}

namespace decisions {

const Decision& parts() {
  static const auto& d =
      *new Decision(decide(key::parts)
                        .offers(all_parts)
                        .admitted([](const NestFacts& f, const Configuration& c, const AxisSizes& parts) {
                          return f.inside != Inside::folds || parts.empty() || is_vector(c);
                        })
                        .said(parts_words));
  return d;
}

}  // namespace decisions
}  // namespace lift
