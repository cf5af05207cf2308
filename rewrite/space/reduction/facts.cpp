#include <algorithm>

#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/space/facts.hpp"
#include "rewrite/space/reduction/reduction.hpp"

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

/// How many of nested reductions can be made one, from the outermost on.
std::size_t joins_of(const Program& program, const Place& root, std::size_t nested) {
  Deriver d({program, {}});
  for (std::size_t joined = 0; joined < nested; ++joined) {
    join_levels(d, root);
    const bool last = joined + 1 == nested;
    if (!last && !is_of_rank(d.part(array_of(root)), Op::Map, 1)) return joined;
  }
  return nested;
}

ReductionFacts facts_of(const Program& program, const Place& root) {
  ReductionFacts r;
  Deriver d({program, {}});
  r.fills = d.part(root).type().is_scalar();
  r.nested = nested_levels(d.part(root));
  r.joins = joins_of(program, root, r.nested);
  std::size_t levels = r.nested;
  const Place innermost = inner_reduction(root, levels);
  while (take_level(d, innermost)) ++levels;
  for (std::size_t l = 0; l <= levels; ++l)
    r.over.push_back(
        {loop_axis(levels - l), d.part(inner_reduction(root, l)).child(2).type().length().constant()});
  return r;
}
bool has_known_lengths(const ReductionFacts& r) {
  return std::all_of(r.over.begin(), r.over.end(), [](const Axis& a) { return a.extent.has_value(); });
}

}  // namespace

ReductionFacts reduction_facts(const Program& program) {
  std::vector<Place> all;
  Place at;
  find_reductions(program.body, at, all);
  ReductionFacts r;
  std::vector<Place> others;
  for (const Place& p : all) {
    ReductionFacts f = facts_of(program, p);
    const bool alike = r.places.empty() || (f.over.size() == r.over.size() && f.nested == r.nested);
    if (!alike || !has_known_lengths(f)) {
      others.push_back(p);
      continue;
    }
    if (r.places.empty())
      r = std::move(f);
    else
      r.fills = r.fills && f.fills, r.joins = std::min(r.joins, f.joins);
    r.places.push_back(p);
  }
  if (!r.places.empty()) r.others = std::move(others);
  return r;
}

}  // namespace lift
