// Cells that reduce many elements, as products of a matrix and a vector, norms of rows and large windows do:
// how a configuration is derived, and what would be tried first.

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/reduction.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

/// The loop over cells in tiles, and the cells that are left over; places of the loops over cells.
std::vector<Place> cut(Deriver& d, const NestFacts& f, const Configuration& c, Place cells) {
  if (c[key::tile].empty()) return {cells};
  const std::int64_t n = *f.axes.back().extent, k = c[key::tile].list[0].size;
  std::vector<Place> r;
  if (n % k != 0) {
    d.step("map-rest", {n / k * k}, cells);
    r.push_back(component_of(cells, 1));
    cells = component_of(cells, 0);
  }
  d.step("split-join", {k}, cells);
  r.insert(r.begin(), body_of(content_of(cells)));
  return r;
}

bool makes_accumulators(const Expr& e) { return is_reduce(e.op()) && e.type().has_arrays(); }

/// What parts make is stored: loops over parts stand where reductions go over what they make.
void run_parts(Deriver& d) {
  const auto is_loop = [](const Expr& e) {
    return makes_accumulators(e) && e.child(2).is(Op::Map) && is_reduce(e.child(2).child(0).child(0).op());
  };
  for (Place p; find_place(d.part({}), is_loop, p); p.clear()) {
    d.step("map-par", array_of(p));
    d.step("to-global", array_of(p));
  }
}

/// Rows of accumulators that have a name are that name's array.
void keep_accumulators(Deriver& d) {
  const auto is_named = [](const Expr& e) { return e.is(Op::Let) && makes_accumulators(e.child(0)); };
  for (Place p; find_place(d.part({}), is_named, p); p.clear()) d.step("to-private", let_value(p));
}

/// The first map without a decision that a loop is made of: of what is stored, rows of accumulators too.
bool find_loop(const Expr& e, Place& at) {
  const auto in = [&](std::initializer_list<int> way) {
    Expr part = e;
    for (const int i : way) part = part.child(static_cast<std::size_t>(i));
    at.insert(at.end(), way);
    if (find_loop(part, at)) return true;
    at.resize(at.size() - way.size());
    return false;
  };
  if (e.is(Op::Map)) return true;
  if (is_map(e.op())) return in({0, 0});
  if (is_reduce(e.op()))
    return makes_accumulators(e) && (in({1}) || in({0, 0}) || (e.child(2).is(Op::ToGlobal) && in({2})));
  if (e.is(Op::Let)) return in({0}) || in({1, 0});
  if (!e.is(Op::Tuple) && !e.is(Op::Concat) && !is_identity(e.op()) && !rearranges(e.op())) return false;
  for (std::size_t i = 0; i < e.children().size(); ++i)
    if (in({static_cast<int>(i)})) return true;
  return false;
}

/// Loops that are left: over the cells of a tile, and what cells make of their elements.
void run_loops(Deriver& d, const NestFacts& f, const Configuration& c) {
  const auto undecided = [&]() -> std::optional<Place> {
    Place p;
    return find_loop(d.part({}), p) ? std::optional(p) : std::nullopt;
  };
  const bool vectors = is_vector(c) || (is_by_levels(c) && c[key::lanes] > 1);
  while (const auto p = undecided()) {
    const Expr map = d.part(*p);
    const std::int64_t trips = shape_of(map.type(), 1)[0].constant().value_or(1 << 20);
    const std::int64_t width = is_vector(c) && trips >= c[key::width] ? c[key::width] : f.lanes;
    const bool shared = part_of_elements(c) > 0 && map.child(0).type().result().has_arrays();
    const bool unrolled = !is_by_levels(c) && !is_vector(c) && trips >= 2 && trips <= 8;
    if (op_rank(map) > 1)
      d.step("map-nest", *p);
    else if (shared)
      d.step("map-par", *p);
    else if (unrolled)
      d.step("map-unroll", {trips}, *p);
    else if (!vectors || trips < width || !d.try_step("map-vec", {width}, *p))
      d.step("map-seq", *p);
  }
}

/// The undecided reductions of many elements that the cells at a place make, outer before inner.
std::vector<Place> reductions_of(const Deriver& d, const Place& cells) {
  std::vector<Place> r;
  for (const Place& p : places_of(d, body_of(cells), Op::Reduce))
    if (is_long_reduction(d.part(p))) r.push_back(p);
  return r;
}

}  // namespace

void prepare_reductions(Deriver& d, const NestFacts& f, const Configuration& c, const Place& cells) {
  for (std::size_t n = 0; n < reductions_of(d, cells).size(); ++n)
    for (const Place p = reductions_of(d, cells)[n]; nested_levels(d.part(p)) > 0;) join_levels(d, p);
  std::vector<Place> all = reductions_of(d, cells);
  for (auto p = all.rbegin(); p != all.rend(); ++p) {  // inner ones first, which move no others
    if (f.folds.joined) join_last(d, array_of(*p));
    if (const std::int64_t part = part_of_elements(c); part > 0) {
      *p = without_rest(d, *p, part);
      d.step("reduce-split", {part}, *p);
      d.step("reduce-seq", *p);
      *p = inner_reduction(*p, 1);
    }
    if (const std::int64_t lanes = c[key::lanes]; lanes > 1) {
      const Place whole = without_rest(d, *p, lanes);
      d.step("reduce-lanes", {lanes}, whole);
      d.step("map-vec", {lanes}, body_of(array_of(whole)));
    } else if (const std::int64_t block = c[key::unroll]; block > 1) {
      d.step("reduce-blocks", {block}, without_rest(d, *p, block));
    }
  }
}

namespace {

// Made when they are asked for: programs compile kernels before main.
const Loops& by_cells() {
  static const auto& l = *new Loops("i k"_loops);
  return l;
}
const Loops& by_elements() {
  static const auto& l = *new Loops("k i"_loops);
  return l;
}

/// Cells in vectors: rows of accumulators that are loaded and stored once for several elements, where what
/// cells read is far apart; else as many as there are registers for.
std::vector<Wishes> vectors_of_cells(const NestFacts& f) {
  std::vector<Wishes> r;
  const std::int64_t n = *f.axes.back().extent;
  const auto add = [&](std::int64_t tile, std::int64_t width, std::int64_t unroll) {
    Wishes w{{key::order, by_elements()},
             {key::inner, Inner::vec},
             {key::width, std::min(width, std::int64_t{64})}};
    w.set(key::tile, tile < n ? AxisSizes{{{"i", tile}}} : AxisSizes{});
    if (!f.folds.joined) w.set(key::unroll, unroll);
    r.push_back(std::move(w));
  };
  const auto in_rows = [&] {
    const std::int64_t part = part_of_row(f), width = part % (2 * f.lanes) == 0 ? 2 * f.lanes : f.lanes;
    // Several rows at once are several streams from memory, if they are not in one page.
    const bool pages = n * f.element_bytes >= 4096;
    for (const std::int64_t block :
         pages ? std::vector<std::int64_t>{4, 8, 1} : std::vector<std::int64_t>{1, 4}) {
      if (f.options.threads > 1) {
        add(n, width, block);
        r.back().set(key::parts, AxisSizes{{{"k", elements_of_parts(f.folds.elements, f.options.threads)}}});
      }
      add(part, width, block);
    }
  };
  const bool near = f.folds.along || f.folds.joined;
  if (!near) in_rows();
  for (const std::int64_t vectors : {4, 8, 2, 1})
    if (vectors * f.lanes <= n) add(vectors * f.lanes, vectors * f.lanes, 1);
  if (near) in_rows();
  return r;
}

/// Elements in vectors: a few cells together, which share what they read.
std::vector<Wishes> vectors_of_elements(const NestFacts& f) {
  std::vector<Wishes> r;
  const AxisSizes four{{{"i", 4}}}, eight{{{"i", 8}}};
  for (const auto& [tile, vectors] : {std::pair{four, 2}, {four, 1}, {eight, 1}})
    r.push_back({{key::order, by_elements()},
                 {key::inner, Inner::seq},
                 {key::lanes, vectors * f.lanes},
                 {key::tile, tile}});
  for (const std::int64_t vectors : {4, 2, 8, 1})
    r.push_back({{key::order, by_cells()}, {key::lanes, vectors * f.lanes}});
  return r;
}

}  // namespace

std::vector<Wishes> folds::first_guesses(const NestFacts& f, const NestFacts*) {
  std::vector<Wishes> r, of_cells = vectors_of_cells(f), of_elements = vectors_of_elements(f);
  r.insert(r.end(), of_cells.begin(), of_cells.end());
  r.insert(r.end(), of_elements.begin(), of_elements.end());
  for (const std::int64_t cells : {8, 4})
    r.push_back({{key::order, by_elements()},
                 {key::inner, Inner::seq},
                 {key::lanes, 1},
                 {key::tile, AxisSizes{{{"i", cells}}}}});
  r.emplace_back();
  return r;
}

Rewriting folds::derive(const Rewriting& start, const NestFacts& f, const Configuration& c) {
  NestDeriver d(start, f);
  d.nest_all();
  for (const Place& cells : cut(d, f, c, d.level(f.axes.size() - 1))) {
    if (is_by_levels(c)) continue;
    prepare_reductions(d, f, c, cells);
    levels_outside(d, cells);
  }
  run_parts(d);
  keep_accumulators(d);
  run_around(d, f, c);
  if (is_by_levels(c)) derive_reductions_in_loops(d, c[key::lanes]);
  run_loops(d, f, c);
  take(decisions::readonly(), d, f, c);
  return d.result();
}

}  // namespace lift
