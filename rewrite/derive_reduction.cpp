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

void derive_reduction(Deriver& d, const ReductionFacts& r, const Place& place, const Configuration& c) {
  const std::string parts = chosen(c, "parts", "none");
  const std::int64_t lanes = std::stoll(chosen(c, "lanes", "1"));
  const std::size_t digits = parts.find_first_of("0123456789");
  const std::vector<std::string> names = words(parts);
  Place root = place;
  std::size_t levels = 0;  // reductions within the root
  if (digits != std::string::npos) {
    root = cut(d, place, std::stoll(parts.substr(digits)));
    levels = 1;
  } else {
    std::size_t joined = 0;  // of the outermost axes, whose iterations are the parts
    for (std::size_t a = 0; a < r.axes.size(); ++a)
      if (std::find(names.begin(), names.end(), r.axes[a].name) != names.end()) joined = a;
    while (levels + joined + 1 < r.axes.size() && take_level(d, place)) ++levels;
  }
  derive_lanes(d, inner_reduction(d, root, levels), lanes);
  for (std::size_t level = levels; level-- > 0;) d.step("reduce-seq", {}, inner_reduction(d, root, level));
  if (parts == "none") return;
  d.step("map-par", {}, below(root, {2}));
  d.step("to-global", {}, below(root, {2}));
}

}  // namespace

Place inner_reduction(const Deriver& d, Place reduction, std::size_t levels) {
  for (; levels > 0; --levels) {
    reduction = below(reduction, {2, 0, 0});
    while (d.part(reduction).is(Op::Lambda)) reduction.push_back(0);
  }
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
  for (const Place& p : f.reduction.places) derive_reduction(d, f.reduction, p, c);
}

}  // namespace lift
