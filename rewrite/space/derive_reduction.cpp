// Decisions on reductions, as steps: a reduction over joined arrays becomes a nest of reductions; the
// outermost is over partial results, which may be computed in parallel; the innermost has one or several
// accumulators.
#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {
namespace {

Place below(Place p, std::initializer_list<int> children) {
  p.insert(p.end(), children);
  return p;
}
bool is_map_of_rank_1(const Expr& e) { return is_of_rank(e, Op::Map, 1); }
bool is_join_of_rank_1(const Expr& e) { return is_of_rank(e, Op::Join, 1); }

/// One map where there are several, one after the other.
void fuse_maps(Deriver& d, const Place& at) {
  while (is_map_of_rank_1(d.part(at)) && is_map_of_rank_1(d.part(at).child(1))) d.step("map-fusion", {}, at);
}

/// The elements beyond a multiple of k come after, one by one; the place of the reduction over the others.
Place without_rest(Deriver& d, Place reduction, std::int64_t k) {
  const std::int64_t n = *d.part(reduction).child(2).type().length().constant(), whole = n / k * k;
  if (whole == n) return reduction;
  d.step("reduce-rest", {std::to_string(whole)}, reduction);
  d.step("reduce-seq", {}, reduction);
  reduction.push_back(1);
  return reduction;
}

/// The same where the number of elements may be raised to a multiple instead.
Place filled(Deriver& d, const Place& reduction, std::int64_t k) {
  const std::int64_t n = *d.part(reduction).child(2).type().length().constant();
  return n % k != 0 && d.try_step("reduce-pad", {std::to_string(k - n % k)}, reduction)
             ? reduction
             : without_rest(d, reduction, k);
}

/// The innermost reduction takes as many elements at a time as there are lanes; those left over come after.
/// Lanes are those of a vector where the elements are neighbours.
void derive_lanes(Deriver& d, Place reduction, std::int64_t lanes, bool neighbours = true) {
  if (lanes > 1) {
    reduction = without_rest(d, reduction, lanes);
    d.step("reduce-lanes", {std::to_string(lanes)}, reduction);
    if (neighbours)
      d.step("map-vec", {std::to_string(lanes)}, below(reduction, {2, 0, 0}));
    else
      d.step("map-unroll", {std::to_string(lanes)}, below(reduction, {2, 0, 0}));
  }
  d.step("reduce-seq", {}, reduction);
}

/// One reduction over chunks of a given length, and what is left over, unless the last chunk is filled; the
/// place of the reduction over their results.
Place cut(Deriver& d, Place reduction, std::int64_t chunk, bool fill) {
  reduction = fill ? filled(d, reduction, chunk) : without_rest(d, reduction, chunk);
  d.step("reduce-split", {std::to_string(chunk)}, reduction);
  return reduction;
}

/// The outermost two of nested reductions become one, over joined arrays.
void join_levels(Deriver& d, const Place& reduction) {
  d.step("reduce-joined", {}, reduction);
  const Expr joined = d.part(below(reduction, {2}));
  if (!joined.child(0).is(Op::Map)) return;
  const Expr& made = joined.child(0).child(0).child(0);  // what is joined: maps over the elements, most often
  if (is_map_of_rank_1(made) && made.child(1).is(Op::Bound)) d.step("join-of-map", {}, below(reduction, {2}));
}

/// How many accumulators the items of a group have together, whole warps: without elements to fill up where
/// that is possible.
std::int64_t columns_of(std::int64_t n, std::int64_t items, bool fills) {
  constexpr std::int64_t warp = 32;
  for (std::int64_t w = items; w >= items / 2; w -= warp)
    if (n % w == 0) return w;
  return n >= items ? items : fills ? (n + warp - 1) / warp * warp : n;
}
void columns_in_local(Deriver& d, const Place& reduction, std::int64_t columns, std::int64_t lanes) {
  d.step("reduce-columns", {std::to_string(columns)}, reduction);
  const Place column = inner_reduction(reduction, 1);
  derive_lanes(d, column, std::min(lanes, *d.part(column).child(2).type().length().constant()), false);
  d.step("map-lcl", {"0"}, below(reduction, {2}));
  d.step("to-local", {}, below(reduction, {2}));
}

/// A reduction within a group: every item has an accumulator for neighbouring columns, then a few of them
/// have one each for these, then what is left is reduced by all alike.
void derive_by_group(Deriver& d, Place reduction, std::int64_t items, std::int64_t lanes) {
  constexpr std::int64_t few = 16;
  const Expr e = d.part(reduction);
  const std::int64_t columns =
      columns_of(*e.child(2).type().length().constant(), items, e.type().is_scalar());
  reduction = filled(d, reduction, columns);
  columns_in_local(d, reduction, columns, lanes);
  if (columns >= 2 * few && columns % few == 0) columns_in_local(d, reduction, few, 1);
  d.step("reduce-seq", {}, reduction);
}

bool has_loops(const Expr& e) {
  return contains(e, [](const Expr& x) { return is_map(x.op()) || is_reduce(x.op()) || is_scan(x.op()); });
}

/// Of a map with one element: what is made of that element, a root of it say, joins the map's function. The
/// place of the map changes; result: where in the function its body was.
Place take_in_results(Deriver& d, Place& map) {
  Place inside;
  for (Place element(map.begin(), map.end() - 1); !element.empty();) {
    const auto operand = static_cast<std::size_t>(element.back());
    const Place around(element.begin(), element.end() - 1);
    const Expr e = d.part(around);
    for (std::size_t i = 0; i < e.children().size(); ++i)
      if (i != operand && has_loops(e.child(i))) return inside;
    if (!d.try_step("at-of-map", {}, around)) return inside;
    element = around, map = below(around, {0});
    d.step("map-fusion", {}, map);
    inside.insert(inside.begin(), static_cast<int>(operand));
  }
  return inside;
}

/// All by one group, whose result is the reduction's; false where there is little to share.
bool derive_by_one_group(Deriver& d, const Place& place, std::int64_t items, std::int64_t lanes) {
  const std::int64_t n = *d.part(place).child(2).type().length().constant();
  if (n <= kFewScalars) return false;
  d.step("reduce-split", {std::to_string(n)}, place);
  d.step("reduce-one", {}, place);
  Place all = below(place, {0});
  const Place inside = take_in_results(d, all);
  d.step("map-wrg", {"0"}, all);
  Place reduction = below(all, {0, 0});
  reduction.insert(reduction.end(), inside.begin(), inside.end());
  derive_by_group(d, reduction, items, lanes);
  d.step("to-global", {}, all);
  return true;
}

/// Parts by groups, then their results by one.
void derive_by_groups(Deriver& d, const Place& place, std::int64_t length, std::int64_t items,
                      std::int64_t lanes) {
  for (std::size_t levels = nested_levels(d.part(place)); levels > 0; --levels) join_levels(d, place);
  Place root = place;
  if (length < *d.part(place).child(2).type().length().constant()) {
    root = cut(d, place, length, true);
    const Place parts = below(root, {2});
    d.step("map-wrg", {"0"}, parts);
    derive_by_group(d, below(parts, {0, 0}), items, lanes);
    d.step("to-global", {}, parts);
  }
  if (!derive_by_one_group(d, root, items, lanes)) d.step("reduce-seq", {}, root);
}

void derive_reduction(Deriver& d, const SpaceFacts& f, const Place& place, const Configuration& c) {
  const ReductionFacts& r = f.reduction;
  const std::string parts = chosen(c, "parts", "none");
  const std::int64_t lanes = std::stoll(chosen(c, "lanes", "1"));
  if (const std::string group = chosen(c, "group", "none"); group != "none")
    return derive_by_groups(d, place, part_length(r, parts), std::stoll(group), lanes);
  const std::size_t digits = parts.find_first_of("0123456789");
  const std::vector<std::string> names = words(parts);
  std::size_t joined = 0;  // axes but one whose iterations together are the parts
  if (digits != std::string::npos)
    joined = r.axes.size() - 1;
  else
    for (std::size_t a = 0; a < r.axes.size(); ++a)
      if (std::find(names.begin(), names.end(), r.axes[a].name) != names.end()) joined = a;
  std::size_t levels = nested_levels(d.part(place));  // reductions within the root
  for (std::size_t a = std::min(joined, levels); a > 0; --a, --levels) join_levels(d, place);
  const Place innermost = inner_reduction(place, levels);
  while (levels + joined + 1 < r.axes.size() && take_level(d, innermost)) ++levels;
  Place root = place;
  if (digits != std::string::npos) {
    root = cut(d, place, std::stoll(parts.substr(digits)), false);
    levels = 1;
  }
  derive_lanes(d, inner_reduction(root, levels), lanes);
  for (std::size_t level = levels; level-- > 0;) d.step("reduce-seq", {}, inner_reduction(root, level));
  if (parts == "none") return;
  if (!is_grid(f.options.target))
    d.step("map-par", {}, below(root, {2}));
  else
    d.step(f.options.cpu ? "map-wrg" : "map-glb", {"0"},
           below(root, {2}));  // a group of one item each, or an item
  d.step("to-global", {}, below(root, {2}));
}

}  // namespace

std::int64_t part_length(const ReductionFacts& r, const std::string& parts) {
  if (const std::size_t digits = parts.find_first_of("0123456789"); digits != std::string::npos)
    return std::stoll(parts.substr(digits));
  const std::vector<std::string> names = words(parts);
  std::int64_t n = 1;
  for (const NestAxis& a : r.axes)
    n = std::find(names.begin(), names.end(), a.name) != names.end() ? 1 : n * *a.extent;
  return n;
}

std::size_t nested_levels(const Expr& reduction) {
  const Expr& array = reduction.child(2);
  if (!is_map_of_rank_1(array) || !array.child(0).is(Op::Lambda)) return 0;
  const Expr& inner = array.child(0).child(0);
  const bool same = inner.is(Op::Reduce) && inner.child(0) == reduction.child(0) &&
                    inner.child(1) == reduction.child(1) && inner.child(1).loose() == 0;
  return same ? 1 + nested_levels(inner) : 0;
}

Place inner_reduction(Place reduction, std::size_t levels) {
  for (; levels > 0; --levels) reduction = below(reduction, {2, 0, 0});
  return reduction;
}

bool take_level(Deriver& d, const Place& reduction) {
  const Place array = below(reduction, {2});
  fuse_maps(d, array);
  const bool mapped = is_map_of_rank_1(d.part(array));
  const Place source = mapped ? below(array, {1}) : array;
  const Expr zipped = d.part(source);
  if (is_of_rank(zipped, Op::Zip, 1) &&
      std::any_of(zipped.children().begin(), zipped.children().end(), is_join_of_rank_1))
    d.step("zip-of-join", {}, source);
  if (!is_join_of_rank_1(d.part(source))) return false;
  if (mapped) d.step("map-of-join", {}, array);
  d.step("reduce-of-join", {}, reduction);
  fuse_maps(d, array);
  return true;
}

void derive_reductions(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  for (const Place& p : f.reduction.places) derive_reduction(d, f, p, c);
}

}  // namespace lift
