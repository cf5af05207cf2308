// Decisions on reductions, as steps.
#include <algorithm>
#include <functional>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

bool is_map_of_rank_1(const Expr& e) { return is_of_rank(e, Op::Map, 1); }
bool is_join_of_rank_1(const Expr& e) { return is_of_rank(e, Op::Join, 1); }

/// One map where there are several, one after the other.
void fuse_maps(Deriver& d, const Place& at) {
  while (is_map_of_rank_1(d.part(at)) && is_map_of_rank_1(d.part(at).child(1))) d.step("map-fusion", at);
}

/// The same where the number of elements may be raised to a multiple instead.
Place filled(Deriver& d, const Place& reduction, std::int64_t k) {
  const std::int64_t n = *d.part(reduction).child(2).type().length().constant();
  return n % k != 0 && d.try_step("reduce-pad", {k - n % k}, reduction) ? reduction
                                                                        : without_rest(d, reduction, k);
}

/// The innermost reduction takes as many elements at a time as there are lanes; those left over come after.
/// Lanes are those of a vector where the elements are neighbours.
void derive_lanes(Deriver& d, Place reduction, std::int64_t lanes, bool neighbours = true) {
  if (lanes > 1) {
    reduction = without_rest(d, reduction, lanes);
    d.step("reduce-lanes", {lanes}, reduction);
    d.try_step("split-of-rows", array_of(array_of(reduction)));
    if (neighbours)
      d.step("map-vec", {lanes}, body_of(array_of(reduction)));
    else
      d.step("map-unroll", {lanes}, body_of(array_of(reduction)));
  }
  d.step("reduce-seq", reduction);
}

/// One reduction over chunks of a given length, and what is left over, unless the last chunk is filled; the
/// place of the reduction over their results.
Place cut(Deriver& d, Place reduction, std::int64_t chunk, bool fill) {
  reduction = fill ? filled(d, reduction, chunk) : without_rest(d, reduction, chunk);
  d.step("reduce-split", {chunk}, reduction);
  return reduction;
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
  d.step("reduce-columns", {columns}, reduction);
  const Place column = inner_reduction(reduction, 1);
  derive_lanes(d, column, std::min(lanes, *d.part(column).child(2).type().length().constant()), false);
  d.step("map-lcl", {0}, array_of(reduction));
  d.step("to-local", array_of(reduction));
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
  d.step("reduce-seq", reduction);
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
    if (!d.try_step("at-of-map", around)) return inside;
    element = around, map = content_of(around);
    d.step("map-fusion", map);
    inside.insert(inside.begin(), static_cast<int>(operand));
  }
  return inside;
}

/// All by one group, whose result is the reduction's; false where there is little to share.
bool derive_by_one_group(Deriver& d, const Place& place, std::int64_t items, std::int64_t lanes) {
  const std::int64_t n = *d.part(place).child(2).type().length().constant();
  if (n <= kFewScalars) return false;
  d.step("reduce-split", {n}, place);
  d.step("reduce-one", place);
  Place all = content_of(place);
  const Place inside = take_in_results(d, all);
  d.step("map-wrg", {0}, all);
  Place reduction = body_of(all);
  reduction.insert(reduction.end(), inside.begin(), inside.end());
  derive_by_group(d, reduction, items, lanes);
  d.step("to-global", all);
  return true;
}

/// Parts by groups, then their results by one.
void derive_by_groups(Deriver& d, const Place& place, std::int64_t length, std::int64_t items,
                      std::int64_t lanes) {
  for (std::size_t levels = nested_levels(d.part(place)); levels > 0; --levels) join_levels(d, place);
  Place root = place;
  if (length < *d.part(place).child(2).type().length().constant()) {
    root = cut(d, place, length, true);
    const Place parts = array_of(root);
    d.step("map-wrg", {0}, parts);
    derive_by_group(d, body_of(parts), items, lanes);
    d.step("to-global", parts);
  }
  if (!derive_by_one_group(d, root, items, lanes)) d.step("reduce-seq", root);
}

/// Accumulators side by side go through all rows of a part, where rows are made of whole vectors: what they
/// have is reduced once. Whether the innermost two of so many levels are one now.
bool join_rows(Deriver& d, const NestFacts& f, const Place& place, std::size_t levels,
               const Configuration& c) {
  const std::size_t least = c[key::parts].empty() ? 1 : 2;  // each of several parts has a result
  const std::int64_t lanes = c[key::lanes];
  if (f.on_grid() || lanes == 1 || levels < least) return false;
  const std::int64_t row = *d.part(inner_reduction(place, levels)).child(2).type().length().constant();
  return row % lanes == 0 && d.try_step("reduce-joined", inner_reduction(place, levels - 1));
}

/// Elements that a reduction, and those within it, go over.
std::int64_t elements_of(const Deriver& d, const Place& place) {
  std::int64_t n = 1;
  for (std::size_t l = 0; l <= nested_levels(d.part(place)); ++l)
    n *= *d.part(inner_reduction(place, l)).child(2).type().length().constant();
  return n;
}

void derive_reduction(Deriver& d, const NestFacts& f, const Place& place, const Configuration& c) {
  AxisSizes parts = c[key::parts];
  if (const auto chunk = chunk_of(parts); chunk && elements_of(d, place) <= *chunk) parts = {};
  const std::int64_t lanes = c[key::lanes];
  if (const std::int64_t items = c[key::group]; items > 0)
    return derive_by_groups(d, place, part_length(f, parts), items, lanes);
  const std::size_t joined = joined_axes(f, parts);
  std::size_t levels = nested_levels(d.part(place));  // reductions within the root
  for (std::size_t a = std::min(joined, levels); a > 0; --a, --levels) join_levels(d, place);
  const Place innermost = inner_reduction(place, levels);
  while (levels + joined + 1 < f.reduction.over.size() && take_level(d, innermost)) ++levels;
  if (join_rows(d, f, place, levels, c)) --levels;
  Place root = place;
  if (const auto chunk = chunk_of(parts)) {
    root = cut(d, place, *chunk, false);
    levels = 1;
  }
  derive_lanes(d, inner_reduction(root, levels), lanes);
  for (std::size_t level = levels; level-- > 0;) d.step("reduce-seq", inner_reduction(root, level));
  if (parts.empty()) return;
  if (!f.on_grid())
    d.step("map-par", array_of(root));
  else
    d.step(f.options.cpu ? "map-wrg" : "map-glb", {0},
           array_of(root));  // a group of one item each, or an item
  d.step("to-global", array_of(root));
}

}  // namespace

Place without_rest(Deriver& d, Place reduction, std::int64_t k) {
  const std::int64_t n = *d.part(reduction).child(2).type().length().constant(), whole = n / k * k;
  if (whole == n) return reduction;
  d.step("reduce-rest", {whole}, reduction);
  d.step("reduce-seq", reduction);
  return initial_of(reduction);
}

void join_levels(Deriver& d, const Place& reduction) {
  d.step("reduce-joined", reduction);
  const Expr joined = d.part(array_of(reduction));
  if (!joined.child(0).is(Op::Map)) return;
  const Expr& made = joined.child(0).child(0).child(0);  // what is joined: maps over the elements, most often
  if (is_map_of_rank_1(made) && made.child(1).is(Op::Bound)) d.step("join-of-map", array_of(reduction));
}

Place inner_reduction(Place reduction, std::size_t levels) {
  for (; levels > 0; --levels) reduction = body_of(array_of(reduction));
  return reduction;
}

bool join_last(Deriver& d, const Place& array) {
  fuse_maps(d, array);
  const bool mapped = is_map_of_rank_1(d.part(array));
  const Place source = mapped ? argument_of(array) : array;
  const Expr zipped = d.part(source);
  if (is_of_rank(zipped, Op::Zip, 1) &&
      std::any_of(zipped.children().begin(), zipped.children().end(), is_join_of_rank_1))
    d.step("zip-of-join", source);
  if (!is_join_of_rank_1(d.part(source))) return false;
  if (mapped) d.step("map-of-join", array);
  return true;
}

bool take_level(Deriver& d, const Place& reduction) {
  const Place array = array_of(reduction);
  if (!join_last(d, array)) return false;
  d.step("reduce-of-join", reduction);
  fuse_maps(d, array);
  return true;
}

namespace {

/// The first reduction that nothing is decided about, of enough elements and in any order, where it stands
/// as is asked.
std::optional<Place> undecided(const Deriver& d, const std::function<bool(const Place&)>& stands) {
  for (const Place& p : places_of(d, {}, Op::Reduce)) {
    const Expr e = d.part(p);
    const auto length = e.child(2).type().length().constant();
    if (length && *length > kFewScalars && why_in_order(e.child(0), e.child(1)).empty() && stands(p))
      return p;
  }
  return std::nullopt;
}

/// A loop an axis; how many there are within the outermost.
std::size_t derive_levels(Deriver& d, const Place& place, std::int64_t lanes) {
  std::size_t levels = nested_levels(d.part(place));
  while (take_level(d, inner_reduction(place, levels))) ++levels;
  const Place innermost = inner_reduction(place, levels);
  const std::int64_t length = d.part(innermost).child(2).type().length().constant().value_or(1);
  derive_lanes(d, innermost, length >= lanes ? lanes : 1);
  for (std::size_t level = levels; level-- > 0;) d.step("reduce-seq", inner_reduction(place, level));
  return levels;
}

bool is_in_a_loop(const Expr& body, const Place& place) {
  Expr e = body;
  for (const int i : place) {
    if (!e.is(Op::Let) && e.child(static_cast<std::size_t>(i)).is(Op::Lambda)) return true;
    e = e.child(static_cast<std::size_t>(i));
  }
  return false;
}

}  // namespace

void derive_reductions_in_loops(Deriver& d, std::int64_t lanes) {
  while (const auto place = undecided(d, [](const Place&) { return true; })) derive_levels(d, *place, lanes);
}

void derive_reductions_beside_loops(Deriver& d, std::int64_t lanes) {
  while (const auto place = undecided(d, [&](const Place& p) { return !is_in_a_loop(d.part({}), p); }))
    if (derive_levels(d, *place, lanes) > 0) {
      d.step("map-par", array_of(*place));
      d.step("to-global", array_of(*place));
    }
}

void derive_reductions_by_groups(Deriver& d, std::int64_t items) {
  constexpr std::int64_t kItems = 256, kLanes = 4, kPart = kFewForGroups;
  items = std::min(items, kItems);
  const ReductionFacts f = reduction_facts(d.program());
  if (f.joins < f.nested) return;
  for (const Place& p : f.places)
    if (d.part(p).child(2).type().length().constant().value_or(0) >= 2 * items)
      derive_by_groups(d, p, kPart, items, kLanes);
}

void derive_reductions(Deriver& d, const NestFacts& f, const Configuration& c) {
  for (const Place& p : f.reduction.places) derive_reduction(d, f, p, c);
  for (const Place& p : f.reduction.others) derive_levels(d, p, c[key::lanes]);
}

}  // namespace lift
