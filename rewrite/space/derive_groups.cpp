// Work-groups: tiles in local memory, as steps.
#include "ir/expr/ops.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {
namespace {

/// Places of expressions of one op, outer before inner.
void places_of(const Expr& e, Op op, Place& at, std::vector<Place>& found) {
  if (e.is(op)) found.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    places_of(e.child(i), op, at, found);
    at.pop_back();
  }
}

Place below_map(Place map) {
  map.insert(map.end(), {0, 0});
  return map;
}

/// The copy at `place`, a map of rank D over dimensions from `first` on, as loops over the items of the
/// group. OpenCL copies asynchronously by whole groups, row by row.
void lower_copy(Deriver& d, const SpaceFacts& f, const Configuration& c, Place place, std::size_t first,
                const GroupDimensions& dims) {
  const std::string how = chosen(c, "copy", "direct");
  const bool async = how == "async" || how == "async vec", vectors = how == "vec" || how == "async vec";
  if (async) {
    d.step("async", {}, place);
    place.push_back(0);
  }
  for (std::size_t at = first; at < f.inner_rank; ++at) {
    if (at + 1 < f.inner_rank) d.step("map-nest", {}, place);
    const bool row = at + 1 == f.inner_rank;
    if (row && vectors) {
      const std::string width = std::to_string(copy_width(f, c));
      d.step("split-join", {width}, place);
      place.push_back(0);
      d.step("map-vec", {width}, below_map(place));
    }
    const auto dim = dims.find(f.axes[f.axes.size() - f.inner_rank + at].name);
    if (dim == dims.end() || (async && !row && f.options.target == Target::opencl)) {
      d.step("map-seq", {}, place);
    } else {
      d.step("map-lcl", {std::to_string(dim->second.first)}, place);
      d.step("items", {std::to_string(dim->second.second)}, place);
    }
    place = below_map(std::move(place));
  }
}

}  // namespace

void stage_tiles(Deriver& d, const SpaceFacts& f, const Configuration& c, Place tiles) {
  const std::string local = chosen(c, "local", "none");
  if (local == "none") return;
  while (!is_map(d.part(tiles).op())) tiles.push_back(0);  // below what puts the tiles together
  Arguments which;
  std::int64_t planes = 0;
  for (const WindowArray& w : staged_arrays(f, c))
    which.push_back(std::to_string(w.array)), planes = std::max(planes, ring_planes(w));
  if (local == "planes") which.insert(which.begin(), std::to_string(planes));
  d.step(local == "planes" ? "stage-planes" : "stage", which, tiles);
}

void lower_copies(Deriver& d, const SpaceFacts& f, const Configuration& c, const GroupDimensions& dims) {
  const std::string local = chosen(c, "local", "none");
  if (local == "none") return;
  const bool planes = local == "planes";
  Place at = d.start();
  std::vector<Place> found;
  places_of(d.part(at), planes ? Op::CircularBuffer : Op::ToLocal, at, found);
  for (Place place : found) {
    place.push_back(0);
    if (!planes) {
      lower_copy(d, f, c, place, 0, dims);
      continue;
    }
    place.insert(place.end(), {0, 0});  // the function of the map over planes
    lower_copy(d, f, c, place, 1, dims);
  }
}

}  // namespace lift
