// How tiles get into local memory: element by element or by vectors, by loads and stores or asynchronously.
#include <algorithm>

#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

bool is_async(Copy copy) { return copy == Copy::async || copy == Copy::async_vec; }

/// Rows of the tiles that are copied lie in memory element after element, at multiples of `width` of them.
bool copies_vectors(const NestFacts& f, const Configuration& c, std::int64_t width) {
  const std::int64_t row = tile_sizes(f, c[key::tile]).back();
  if (f.axes.back().extent.value_or(0) % row != 0) return false;  // elements beyond the end are others
  for (const WindowArray& w : staged_arrays(f, c))
    for (const std::int64_t n : {(row - 1) * w.step.back() + w.size.back(), row * w.step.back(), w.row})
      if (n == 0 || n % width != 0) return false;
  return true;
}

std::vector<Copy> copies(const NestFacts& f) {
  if (!f.on_grid()) return {};
  if (f.windows.empty() || f.sweeps > 1) return {Copy::direct};
  return {Copy::direct, Copy::vec, Copy::async, Copy::async_vec};
}

bool admits_copy(const NestFacts& f, const Configuration& c, const Copy& copy) {
  if (copy == Copy::direct) return true;
  if (c[key::local] == Local::none) return false;
  const bool whole_rows = tile_sizes(f, c[key::tile]).back() >= f.axes.back().extent.value_or(0);
  if (whole_rows) return false;  // no work-items side by side along a row
  if (is_async(copy) && f.target().copies_by_groups) return copy == Copy::async && copies_vectors(f, c, 1);
  return copy == Copy::async || copy_width(f, c) > 1;
}

/// The copy at `place`, a map of rank D over dimensions from `first` on, as loops over the items of the
/// group. Some targets copy asynchronously by whole groups, row by row.
void run_copy(NestDeriver& d, const NestFacts& f, const Configuration& c, Place place, std::size_t first) {
  const Copy how = c[key::copy];
  if (is_async(how)) {
    d.step("async", place);
    place = content_of(place);
  }
  for (std::size_t at = first; at < f.inner_rank; ++at) {
    const bool row = at + 1 == f.inner_rank;
    if (!row) d.step("map-nest", place);
    if (row && (how == Copy::vec || how == Copy::async_vec)) {
      const std::int64_t width = copy_width(f, c);
      d.step("split-join", {width}, place);
      place = content_of(place);
      d.step("map-vec", {width}, body_of(place));
    }
    const auto dim = d.group.find(f.axes[f.first_inner() + at].name);
    if (dim == d.group.end() || (is_async(how) && !row && f.target().copies_by_groups)) {
      d.step("map-seq", place);
    } else {
      d.step("map-lcl", {dim->second.first}, place);
      d.step("items", {dim->second.second}, place);
    }
    place = body_of(place);
  }
}

void take_copy(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
  const Local local = c[key::local];
  if (local == Local::none) return;
  const bool planes = local == Local::planes;
  for (const Place& copy : places_of(d, d.start(), planes ? Op::CircularBuffer : Op::ToLocal))
    if (planes)
      run_copy(d, f, c, body_of(content_of(copy)), 1);  // in the function of the map over planes
    else
      run_copy(d, f, c, content_of(copy), 0);
}

}  // namespace

std::int64_t copy_width(const NestFacts& f, const Configuration& c) {
  const auto staged = staged_arrays(f, c);
  if (staged.empty()) return 1;
  std::size_t bytes = 0;
  for (const WindowArray& w : staged) bytes = std::max(bytes, w.bytes);
  std::int64_t width = 16 / static_cast<std::int64_t>(bytes);  // what a GPU's work-item loads at once
  while (width > 1 && !copies_vectors(f, c, width)) width /= 2;
  return std::max<std::int64_t>(width, 1);
}

namespace decisions {

const Decision& copy() {
  static const auto& d = *new Decision(decide(key::copy)
                                           .offers(copies)
                                           .admitted(admits_copy)
                                           .taken(take_copy)
                                           .said([](const NestFacts&, const Configuration& c) -> std::string {
                                             switch (c[key::copy]) {
                                               case Copy::direct:
                                                 break;
                                               case Copy::vec:
                                                 return "copied by vectors";
                                               case Copy::async:
                                                 return "copied asynchronously";
                                               case Copy::async_vec:
                                                 return "vectors copied asynchronously";
                                             }
                                             return "";
                                           }));
  return d;
}

}  // namespace decisions
}  // namespace lift
