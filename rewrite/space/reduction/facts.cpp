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

}  // namespace

ReductionFacts reduction_facts(const Program& program) {
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
    r.over.push_back(
        {loop_axis(levels - l), d.part(inner_reduction(root, l)).child(2).type().length().constant()});
  if (std::any_of(r.over.begin(), r.over.end(), [](const Axis& a) { return !a.extent; }))
    r.places.clear(), r.over.clear();
  return r;
}

}  // namespace lift
