// Decisions on reductions, as steps: a reduction over joined arrays becomes a nest of reductions; the outermost is over
// partial results, which may be computed in parallel; the innermost has one or several accumulators.
#include <algorithm>

#include "ir/ops.hpp"
#include "rewrite/derive.hpp"

namespace lift {
namespace {

Place below(Place p, std::initializer_list<int> children) {
  p.insert(p.end(), children);
  return p;
}
bool is_map_of_rank_1(const Expr& e) { return e.is(Op::Map) && e.attr().ints[0] == 1; }
bool is_join_of_rank_1(const Expr& e) { return e.is(Op::Join) && e.attr().ints[0] == 1; }

/// One map where there are several, one after the other.
void fuse_maps(Deriver& d, const Place& at) {
  while (is_map_of_rank_1(d.part(at)) && is_map_of_rank_1(d.part(at).child(1))) d.step("map-fusion", {}, at);
}

/// The innermost reduction takes as many elements at a time as there are lanes; those left over come after.
void derive_lanes(Deriver& d, Place reduction, std::int64_t lanes) {
  if (lanes > 1) {
    const std::int64_t n = *d.part(reduction).child(2).type().length().constant(), whole = n / lanes * lanes;
    if (whole < n) {
      d.step("reduce-rest", {std::to_string(whole)}, reduction);
      d.step("reduce-seq", {}, reduction);
      reduction.push_back(1);
    }
    d.step("reduce-lanes", {std::to_string(lanes)}, reduction);
    d.step("map-vec", {std::to_string(lanes)}, below(reduction, {2, 0, 0}));
  }
  d.step("reduce-seq", {}, reduction);
}

/// One reduction over chunks of a given length, and what is left over; the place of the reduction over their results.
Place cut(Deriver& d, Place reduction, std::int64_t chunk) {
  const std::int64_t n = *d.part(reduction).child(2).type().length().constant(), whole = n / chunk * chunk;
  if (whole < n) {
    d.step("reduce-rest", {std::to_string(whole)}, reduction);
    d.step("reduce-seq", {}, reduction);
    reduction.push_back(1);
  }
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

void derive_reduction(Deriver& d, const SpaceFacts& f, const Place& place, const Configuration& c) {
  const ReductionFacts& r = f.reduction;
  const std::string parts = chosen(c, "parts", "none");
  const std::int64_t lanes = std::stoll(chosen(c, "lanes", "1"));
  const std::size_t digits = parts.find_first_of("0123456789");
  const std::vector<std::string> names = words(parts);
  std::size_t joined = 0;  // axes but one whose iterations together are the parts
  if (digits != std::string::npos) joined = r.axes.size() - 1;
  else
    for (std::size_t a = 0; a < r.axes.size(); ++a)
      if (std::find(names.begin(), names.end(), r.axes[a].name) != names.end()) joined = a;
  std::size_t levels = nested_levels(d.part(place));  // reductions within the root
  for (std::size_t a = std::min(joined, levels); a > 0; --a, --levels) join_levels(d, place);
  const Place innermost = inner_reduction(place, levels);
  while (levels + joined + 1 < r.axes.size() && take_level(d, innermost)) ++levels;
  Place root = place;
  if (digits != std::string::npos) {
    root = cut(d, place, std::stoll(parts.substr(digits)));
    levels = 1;
  }
  derive_lanes(d, inner_reduction(root, levels), lanes);
  for (std::size_t level = levels; level-- > 0;) d.step("reduce-seq", {}, inner_reduction(root, level));
  if (parts == "none") return;
  if (!is_grid(f.options.target)) d.step("map-par", {}, below(root, {2}));
  else d.step(f.options.cpu ? "map-wrg" : "map-glb", {"0"}, below(root, {2}));  // a group of one item each, or an item
  d.step("to-global", {}, below(root, {2}));
}

}  // namespace

std::size_t nested_levels(const Expr& reduction) {
  const Expr& array = reduction.child(2);
  if (!is_map_of_rank_1(array) || !array.child(0).is(Op::Lambda)) return 0;
  const Expr& inner = array.child(0).child(0);
  const bool same = inner.is(Op::Reduce) && inner.child(0) == reduction.child(0) && inner.child(1) == reduction.child(1) && inner.child(1).loose() == 0;
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
  if (zipped.is(Op::Zip) && zipped.attr().ints[0] == 1 && std::any_of(zipped.children().begin(), zipped.children().end(), is_join_of_rank_1))
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
