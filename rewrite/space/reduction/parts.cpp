// Which parts of a reduction are made side by side, by threads or by work-groups: of whole axes, or chunks.
#include <algorithm>

#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

/// Chunks of all elements, where these are in one array or the chunks have no rest; those of `enough` chunks
/// first.
std::vector<AxisSizes> chunks(const ReductionFacts& f, std::int64_t enough, std::int64_t around) {
  const std::int64_t row = *f.over.back().extent, n = around * row;
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
    if (n >= 4 * k && (f.fills || around == 1 || n % k == 0)) offer(k);
  if (r.empty()) return r;
  const auto first = std::find_if(r.begin(), r.end() - 1,
                                  [&](const AxisSizes& chunk) { return n / chunk.list[0].size >= enough; });
  std::rotate(r.begin(), first, first + 1);
  return r;
}

std::vector<AxisSizes> all_parts(const ReductionFacts& f) {
  if (f.places.empty()) return {};
  if (f.over.empty()) return {{}};
  std::vector<AxisSizes> r;
  AxisSizes axes;
  std::int64_t parts = 1, around = 1;
  const std::int64_t enough = f.on_processors() ? 32 * f.options.threads : 1 << 10;
  for (std::size_t a = 0; a + 1 < f.over.size(); ++a) {
    const std::int64_t n = *f.over[a].extent;
    around *= n;
    if (n == 1) continue;
    axes.list.push_back({f.over[a].name, 1});
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
  const bool few = !f.on_processors() && around * *f.over.back().extent <= kFewForGroups;
  r.insert(few ? r.begin() : r.end(), AxisSizes{});
  return r;
}

std::string parts_words(const ReductionFacts&, const Configuration& c) {
  std::string axes;
  for (const AxisSize& s : c[key::parts].list) axes += " " + s.axis;
  return axes.empty() ? "" : "parts of" + axes;
}

}  // namespace

std::optional<std::int64_t> chunk_of(const AxisSizes& parts) {
  if (parts.list.size() == 1 && parts.list[0].size > 1) return parts.list[0].size;
  return std::nullopt;
}

std::int64_t part_length(const ReductionFacts& f, const AxisSizes& parts) {
  if (const auto chunk = chunk_of(parts)) return *chunk;
  std::int64_t n = 1;
  for (const Axis& a : f.over) {
    const bool named = std::any_of(parts.list.begin(), parts.list.end(),
                                   [&](const AxisSize& s) { return s.axis == a.name; });
    n = named ? 1 : n * *a.extent;
  }
  return n;
}

namespace reduction {

const ReductionDecision& parts() {
  static const auto& d =
      *new ReductionDecision(decide<ReductionFacts>(key::parts).offers(all_parts).said(parts_words));
  return d;
}

}  // namespace reduction
}  // namespace lift
