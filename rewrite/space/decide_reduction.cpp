// Decisions on programs whose result is a reduction: which of its parts are reduced in parallel, by how many
// work-items each, and with how many accumulators side by side.
#include <algorithm>

#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {
namespace {

/// Elements that nested reductions go over; a large number where a length is not known.
std::int64_t elements(const Expr& reduction) {
  std::int64_t n = 1;
  Expr e = reduction;
  for (std::size_t levels = nested_levels(reduction);; --levels) {
    n *= e.child(2).type().length().constant().value_or(1 << 20);
    if (levels == 0) return n;
    e = e.child(2).child(0).child(0);
  }
}

/// Reductions that the result is computed from, outside functions of maps, that may be taken apart.
void find_reductions(const Expr& e, Place& at, std::vector<Place>& found) {
  if (e.is(Op::Reduce)) {
    if (why_in_order(e.child(0), e.child(1)).empty() && elements(e) > kFewScalars) found.push_back(at);
    return;
  }
  if (is_map(e.op()) || is_reduce(e.op()) || is_scan(e.op()) || e.is(Op::Generate)) return;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    find_reductions(e.child(i), at, found);
    at.pop_back();
  }
}

/// Chunks of all elements, where these are in one array or the chunks have no rest; those of `enough` chunks
/// first.
std::vector<std::string> chunks(const SpaceFacts& f, std::int64_t enough, std::int64_t around) {
  const ReductionFacts& r = f.reduction;
  const std::int64_t row = *r.axes.back().extent, n = around * row;
  std::vector<std::string> values;
  if (on_processors(f.options)) {
    if (around > 1) return {};
    for (const std::int64_t k : {65536, 16384, 4096, 1024})
      if (row >= 4 * k * f.options.threads) values.push_back("i" + std::to_string(k));
    if (values.empty() && row >= 2 * f.options.threads)
      values.push_back("i" + std::to_string(row / f.options.threads));
    return values;
  }
  for (const std::int64_t k : {65536, 16384, 4096, 1024})
    if (n >= 4 * k && (r.fills || around == 1 || n % k == 0)) values.push_back("i" + std::to_string(k));
  if (values.empty()) return values;
  const auto first = std::find_if(values.begin(), values.end() - 1, [&](const std::string& v) {
    return n / std::stoll(v.substr(1)) >= enough;
  });
  std::rotate(values.begin(), first, first + 1);
  return values;
}

constexpr std::int64_t kFewForGroups = 4096;  ///< elements that one group reduces as fast as several

/// Parts that are made side by side: by threads, or by work-groups.
std::vector<std::string> parts_of(const SpaceFacts& f) {
  const ReductionFacts& r = f.reduction;
  std::vector<std::string> values;
  std::string text;
  std::int64_t parts = 1, around = 1;
  const std::int64_t enough = on_processors(f.options) ? 32 * f.options.threads : 1 << 10;
  for (std::size_t a = 0; a + 1 < r.axes.size(); ++a) {
    const std::int64_t n = *r.axes[a].extent;
    around *= n;
    if (n == 1) continue;
    text += (text.empty() ? "" : " ") + r.axes[a].name;
    // The shortest that gives everyone enough parts to balance comes first.
    if (parts < enough && (parts *= n) >= enough)
      values.insert(values.begin(), text);
    else
      values.push_back(text);
  }
  if (parts < enough && !values.empty()) std::rotate(values.begin(), values.end() - 1, values.end());
  if (r.axes.empty()) return {"none"};
  const std::vector<std::string> cut = chunks(f, enough, around);
  values.insert(on_processors(f.options) ? values.end() : values.begin(), cut.begin(), cut.end());
  const bool few = !on_processors(f.options) && around * *r.axes.back().extent <= kFewForGroups;
  values.insert(few ? values.begin() : values.end(), "none");
  return values;
}

/// Work-items that share a part; none: each part is one item's.
bool admits_group(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  if (value == "none") return true;
  const std::string parts = chosen(c, "parts", "none");
  const std::int64_t items = std::stoll(value), length = part_length(f.reduction, parts);
  const bool too_long = parts == "none" && length > kFewForGroups;
  return !too_long && items <= static_cast<std::int64_t>(f.options.max_work_group) && length >= 2 * items;
}

bool admits_lanes(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  const std::string parts = chosen(c, "parts", "none");
  if (const std::string group = chosen(c, "group", "none"); group != "none")
    return std::stoll(value) * std::stoll(group) <= part_length(f.reduction, parts);
  const std::size_t digits = parts.find_first_of("0123456789");
  const std::int64_t n =
      digits == std::string::npos ? *f.reduction.axes.back().extent : std::stoll(parts.substr(digits));
  return std::stoll(value) <= n;
}

}  // namespace

ReductionFacts reductions_of(const Program& program) {
  ReductionFacts r;
  Place at;
  find_reductions(program.body, at, r.places);
  if (r.places.empty()) return r;
  Deriver d({program, {}});
  const Place& root = r.places.front();
  r.fills = d.part(root).type().is_scalar();
  std::size_t levels = nested_levels(d.part(root));
  const Place innermost = inner_reduction(root, levels);
  while (take_level(d, innermost)) ++levels;
  for (std::size_t l = 0; l <= levels; ++l)
    r.axes.push_back(
        {loop_axis(levels - l), d.part(inner_reduction(root, l)).child(2).type().length().constant()});
  if (std::any_of(r.axes.begin(), r.axes.end(), [](const NestAxis& a) { return !a.extent; })) return {};
  return r;
}

std::vector<Decision> reduction_decisions(const SpaceFacts& f) {
  if (f.reduction.places.empty()) return {};
  // Accumulators fill vectors of a processor; those of a work-item hide latencies and take registers.
  std::vector<std::string> lanes{"1"};
  const std::int64_t least = on_processors(f.options) ? f.lanes : 2;
  for (const std::int64_t w : {least, 2 * least, 4 * least})
    if (f.lanes > 1 && w <= 64) lanes.push_back(std::to_string(w));
  const bool groups = is_grid(f.options.target) && !f.options.cpu;
  return {
      {"parts", parts_of(f), always},
      {"group",
       groups ? std::vector<std::string>{"none", "256", "128", "512", "64"}
              : std::vector<std::string>{"none"},
       admits_group},
      {"lanes", lanes, admits_lanes},
  };
}

}  // namespace lift
