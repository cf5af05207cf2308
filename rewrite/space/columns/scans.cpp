// Scans along columns: how a configuration is derived, and what would be tried first. Columns are what scans
// go along; levels are the elements of a column, points those of a row of columns.
#include <algorithm>
#include <array>
#include <range/v3/view/cartesian_product.hpp>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// The loops over the points of a level are the inner ones, or else those of scans.
ScanLoop scan_loop(const Configuration& c) {
  if (!is_by_levels(c)) return {};
  return {!c[key::kcache], c[key::unroll], c[key::prefetch]};
}

/// Points that no tile has are columns by themselves, whose loops are the same but for the tiles. Where they
/// stand; nothing where there are none.
std::optional<Place> points_left_over(Deriver& d, const NestFacts& f, const Configuration& c, Place& points) {
  const AxisSizes& tile = c[key::tile];
  const std::int64_t n = f.axes.back().extent.value_or(0), left = tile.empty() ? 0 : n % tile.list[0].size;
  if (left == 0) return std::nullopt;
  d.step("map-rest", {n - left}, points);
  const Place rest = component_of(points, 1);
  points = component_of(points, 0);
  return rest;
}

/// Rows of points, and what is made of columns: loops that are left.
void run_rows(Deriver& d, const NestFacts& f, const Configuration& c) {
  const auto undecided = [&]() -> std::optional<Place> {
    for (const Place& p : loop_places(d.program().body))
      if (d.part(p).is(Op::Map)) return p;
    return std::nullopt;
  };
  while (const auto p = undecided()) {
    const Expr map = d.part(*p);
    if (op_rank(map) > 1) {
      d.step("map-nest", *p);
      continue;
    }
    constexpr std::int64_t few = 4;  // what a few columns have computed last stays in registers
    const std::int64_t extent = shape_of(map.type(), 1)[0].constant().value_or(1 << 20);
    if (!is_by_levels(c) && !is_vector(c) && extent > 1 && extent <= few) {
      d.step("map-unroll", {extent}, *p);
      continue;
    }
    const bool vectors = is_vector(c) && extent >= f.lanes;
    if (!vectors || is_by_levels(c) || !d.try_step("map-vec", {c[key::width]}, *p)) d.step("map-seq", *p);
    if (c[key::prefetch] != 0) d.step("prefetch", {c[key::prefetch]}, *p);
  }
}

}  // namespace

Rewriting scans::derive(const Rewriting& start, const NestFacts& f, const Configuration& c) {
  NestDeriver d(start, f);
  d.nest_all();
  Place points = d.level(f.axes.size() - 1);
  const auto rest = points_left_over(d, f, c, points);
  const auto change_order = [&](const Place& loop) {
    if (!is_by_levels(c)) levels_outside(d, loop);
  };
  if (rest) change_order(*rest);
  if (!c[key::tile].empty()) {
    d.step("split-join", {c[key::tile].list[0].size}, points);
    points = body_of(content_of(points));
  }
  change_order(points);
  take({&decisions::grid(), &decisions::parallel(), &decisions::keep()}, d, f, c, points);
  run_scans(d, scan_loop(c));
  run_rows(d, f, c);
  take(decisions::readonly(), d, f, c);
  return d.result();
}

/// Which of the loops around goes along the columns, and where those are kept. The points of a row are next
/// to each other in memory, as a rule: the levels go around them, in vectors.
std::vector<Wishes> scans::first_guesses(const NestFacts& f, const NestFacts*) {
  using ranges::views::cartesian_product;
  const Loops by_rows[] = {"j i k"_loops, "i k"_loops}, by_levels[] = {"j k i"_loops, "k i"_loops};
  constexpr std::int64_t few[] = {4, 16, 8};
  constexpr Keep keeps[] = {Keep::privately, Keep::work};
  constexpr Inner inners[] = {Inner::vec, Inner::seq};
  constexpr bool either[] = {true, false};
  const bool tiles_are_shared =
      f.options.threads > 1 && !f.on_grid() &&  // and nothing else is
      std::all_of(f.axes.begin(), f.axes.end() - 1, [](const Axis& a) { return a.extent == 1; });
  std::vector<Wishes> r;
  // Neighbouring points are far apart: a few columns at once, so that none waits for its own last element.
  if (f.scans.along_memory && f.on_processors())
    for (const auto& [columns, order, keep] : cartesian_product(few, by_levels, keeps))
      if (const AxisSizes tile = tile_of_points(f, columns); !tile.empty())
        r.push_back({{key::order, order}, {key::inner, Inner::seq}, {key::keep, keep}, {key::tile, tile}});
  if (f.scans.along_memory)
    for (const Loops& order : by_rows) r.push_back({{key::order, order}, {key::kcache, true}});
  const std::array tiles{tile_of_points(f, 64), AxisSizes{}, tile_of_points(f, 32), tile_of_points(f, 16)};
  for (const auto& [order, inner, keep, tile] : cartesian_product(by_levels, inners, keeps, tiles)) {
    if (!f.on_processors() || (tile.empty() && tiles_are_shared)) continue;
    r.push_back({{key::order, order}, {key::inner, inner}, {key::keep, keep}, {key::tile, tile}});
    if (f.on_grid()) r.back().set(key::grid, {Loops::By::solo, {}});
  }
  for (const auto& [order, kept, keep] : cartesian_product(by_rows, either, keeps))
    r.push_back({{key::order, order}, {key::kcache, kept}, {key::keep, keep}});
  for (const AxisSizes& tile : {tile_of_points(f, 64), tile_of_points(f, 128), tile_of_points(f, 32)})
    r.push_back({{key::order, by_rows[0]}, {key::tile, tile}, {key::kcache, true}});
  for (const Loops& order : by_rows)
    r.push_back({{key::order, order}, {key::kcache, true}, {key::prefetch, 2}});
  for (const Loops& order : by_rows)
    r.push_back({{key::order, order}, {key::kcache, true}, {key::unroll, 2}});
  r.push_back({{key::order, by_rows[0]}});
  r.push_back({{key::order, by_levels[0]}});
  r.emplace_back();
  return r;
}

}  // namespace lift
