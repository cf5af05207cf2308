// Columns: their decisions in dependency order, how a configuration is derived, and what would be tried
// first.
#include <algorithm>
#include <array>
#include <range/v3/view/cartesian_product.hpp>

#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace columns {

const ColumnDecision& order();
const ColumnDecision& tile();
const ColumnDecision& grid();
const ColumnDecision& parallel();
const ColumnDecision& inner();
const ColumnDecision& width();
const ColumnDecision& kcache();
const ColumnDecision& unroll();
const ColumnDecision& prefetch();
const ColumnDecision& keep();

}  // namespace columns

namespace {

using columns::ColumnDecision;
using List = std::vector<const ColumnDecision*>;

/// In dependency order: a decision asks only for those before it.
const List& all_decisions() {
  static const auto& all = *new List{
      &columns::order(), &columns::tile(),   &columns::grid(),   &columns::parallel(), &columns::inner(),
      &columns::width(), &columns::kcache(), &columns::unroll(), &columns::prefetch(), &columns::keep()};
  return all;
}

/// The loops over the points of a level are the inner ones, or else those of scans.
ScanLoop scan_loop(const Configuration& c) {
  if (!columns::is_by_columns(c)) return {};
  return {!c[key::kcache], c[key::unroll], c[key::prefetch]};
}

/// Points that no tile has are columns by themselves, whose loops are the same but for the tiles. Where they
/// stand; nothing where there are none.
std::optional<Place> points_left_over(Deriver& d, const ColumnFacts& f, const Configuration& c,
                                      Place& points) {
  const AxisSizes& tile = c[key::tile];
  const std::int64_t n = f.axes.back().extent.value_or(0), left = tile.empty() ? 0 : n % tile.list[0].size;
  if (left == 0) return std::nullopt;
  d.step("map-rest", {n - left}, points);
  const Place rest = component_of(points, 1);
  points = component_of(points, 0);
  return rest;
}

class Columns : public KindWith<ColumnFacts> {
 public:
  explicit Columns(Form form) : KindWith(std::move(form), std::nullopt) {
    for (const ColumnDecision* d : all_decisions()) add(bound(*d));
    add(bound_common(common::readonly()));

    for (const ColumnDecision* d : {&columns::order(), &columns::keep(), &columns::tile()}) say(bound(*d));
    say({.key = nullptr, .settings = {}, .allowed = {}, .suits = {}, .words = [](const Configuration& c) {
           return std::string(columns::is_by_columns(c) ? "columns" : "");
         }});
    for (const ColumnDecision* d :
         {&columns::grid(), &columns::inner(), &columns::unroll(), &columns::kcache()})
      say(bound(*d));
    say(bound_common(common::readonly()));
    say(bound(columns::prefetch()));
  }

  std::vector<Wishes> first_guesses() const override { return columns::first_guesses(facts()); }

  Rewriting derive(const Configuration& c) const override {
    const auto& [start, f] = form(c);
    Deriver d(start);
    d.nest_all();
    Place points = d.level(f.axes.size() - 1);
    const auto rest = points_left_over(d, f, c, points);
    if (rest) take(columns::order(), d, f, c, *rest);
    take(columns::tile(), d, f, c, points);
    if (!c[key::tile].empty()) points = body_of(content_of(points));
    for (const ColumnDecision* x :
         {&columns::order(), &columns::grid(), &columns::parallel(), &columns::keep()})
      take(*x, d, f, c, points);
    run_scans(d, scan_loop(c));
    take(columns::inner(), d, f, c);
    take(common::readonly(), d, f, c);
    return d.result();
  }
};

}  // namespace

/// Which of the loops around goes along the columns, and where those are kept. The points of a row are next
/// to each other in memory, as a rule: the levels go around them, in vectors.
std::vector<Wishes> columns::first_guesses(const ColumnFacts& f) {
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
  if (f.along_memory && f.on_processors())
    for (const auto& [columns, order, keep] : cartesian_product(few, by_levels, keeps))
      if (const AxisSizes tile = tile_of(f, columns); !tile.empty())
        r.push_back({{key::order, order}, {key::inner, Inner::seq}, {key::keep, keep}, {key::tile, tile}});
  if (f.along_memory)
    for (const Loops& order : by_rows) r.push_back({{key::order, order}, {key::kcache, true}});
  const std::array tiles{tile_of(f, 64), AxisSizes{}, tile_of(f, 32), tile_of(f, 16)};
  for (const auto& [order, inner, keep, tile] : cartesian_product(by_levels, inners, keeps, tiles)) {
    if (!f.on_processors() || (tile.empty() && tiles_are_shared)) continue;
    r.push_back({{key::order, order}, {key::inner, inner}, {key::keep, keep}, {key::tile, tile}});
    if (f.on_grid()) r.back().set(key::grid, {Loops::By::solo, {}});
  }
  for (const auto& [order, kept, keep] : cartesian_product(by_rows, either, keeps))
    r.push_back({{key::order, order}, {key::kcache, kept}, {key::keep, keep}});
  for (const AxisSizes& tile : {tile_of(f, 64), tile_of(f, 128), tile_of(f, 32)})
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

std::unique_ptr<Kind> columns_kind(Rewriting start, const SpaceOptions& options) {
  ColumnFacts f = column_facts(start.program, options);
  return std::make_unique<Columns>(Columns::Form{std::move(start), std::move(f)});
}

std::vector<RegisteredDecision> registered_column_decisions() {
  std::vector<RegisteredDecision> r;
  for (const ColumnDecision* d : all_decisions()) r.push_back({d->key, d->switched});
  return r;
}

}  // namespace lift
