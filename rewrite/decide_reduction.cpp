// Decisions on programs whose result is a reduction: which of its parts are reduced in parallel, and with how many
// accumulators side by side.
#include <algorithm>

#include "ir/ops.hpp"
#include "ir/reduction.hpp"
#include "rewrite/derive.hpp"

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

std::vector<std::string> parts_of(const SpaceFacts& f) {
  const ReductionFacts& r = f.reduction;
  std::vector<std::string> values;
  std::string text;
  std::int64_t parts = 1, around = 1;
  const std::int64_t enough = on_processors(f.options) ? 32 * f.options.threads : 1 << 15;
  for (std::size_t a = 0; a + 1 < r.axes.size(); ++a) {
    const std::int64_t n = *r.axes[a].extent;
    around *= n;
    if (n == 1) continue;
    text += (text.empty() ? "" : " ") + r.axes[a].name;
    // The shortest that gives every thread enough parts to balance comes first.
    if (parts < enough && (parts *= n) >= enough) values.insert(values.begin(), text);
    else values.push_back(text);
  }
  if (parts < enough && !values.empty()) std::rotate(values.begin(), values.end() - 1, values.end());
  if (around == 1 && !r.axes.empty()) {
    std::vector<std::string> chunks;
    for (const std::int64_t k : {65536, 16384, 4096, 1024})
      if (*r.axes.back().extent >= 4 * k * f.options.threads) chunks.push_back("i" + std::to_string(k));
    if (chunks.empty() && *r.axes.back().extent >= 2 * f.options.threads)
      chunks.push_back("i" + std::to_string(*r.axes.back().extent / f.options.threads));
    values.insert(values.end(), chunks.begin(), chunks.end());
  }
  values.emplace_back("none");
  return values;
}

bool admits_lanes(const SpaceFacts& f, const Configuration& c, const std::string& value) {
  const std::string parts = chosen(c, "parts", "none");
  const std::size_t digits = parts.find_first_of("0123456789");
  const std::int64_t n = digits == std::string::npos ? *f.reduction.axes.back().extent : std::stoll(parts.substr(digits));
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
  std::size_t levels = nested_levels(d.part(root));
  const Place innermost = inner_reduction(root, levels);
  while (take_level(d, innermost)) ++levels;
  for (std::size_t l = 0; l <= levels; ++l)
    r.axes.push_back({loop_axis(levels - l), d.part(inner_reduction(root, l)).child(2).type().length().constant()});
  if (std::any_of(r.axes.begin(), r.axes.end(), [](const NestAxis& a) { return !a.extent; })) return {};
  return r;
}

std::vector<Decision> reduction_decisions(const SpaceFacts& f) {
  if (f.reduction.places.empty()) return {};
  std::vector<std::string> lanes{"1"};
  for (const std::int64_t w : {f.lanes, 2 * f.lanes, 4 * f.lanes})
    if (f.lanes > 1 && w <= 64) lanes.push_back(std::to_string(w));
  return {
      {"parts", parts_of(f), [](const SpaceFacts&, const Configuration&, const std::string&) { return true; }},
      {"lanes", lanes, admits_lanes},
  };
}

}  // namespace lift
