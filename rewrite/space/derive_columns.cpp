// Decisions on programs of scans along columns, as steps.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/derive.hpp"

namespace lift {
namespace {

Place below(Place p, std::initializer_list<int> children) {
  p.insert(p.end(), children);
  return p;
}
bool is_undecided_scan(const Expr& e) { return e.is(Op::Scan) || e.is(Op::ScanBack); }

/// The first part, outside in, for which p holds.
bool find_place(const Expr& e, const std::function<bool(const Expr&)>& p, Place& at) {
  if (p(e)) return true;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    if (find_place(e.child(i), p, at)) return true;
    at.pop_back();
  }
  return false;
}

/// The loop over columns at `columns` goes inside the loops that its function makes of each column.
void levels_outside(Deriver& d, const Place& columns);

/// What a loop goes over: maps of scans in it, too.
void argument_levels_outside(Deriver& d, const Place& transposed) {
  const Place map = below(transposed, {0});
  const Expr body = d.part(map).child(0).child(0);
  if (!has_scan(body)) return;
  if (body.is(Op::Zip)) {
    if (!d.try_step("map-of-zip", {}, map) || !d.try_step("transpose-of-zip", {}, transposed)) return;
    for (int i = 0; i < static_cast<int>(body.children().size()); ++i)
      if (has_scan(body.child(static_cast<std::size_t>(i))))
        argument_levels_outside(d, below(transposed, {i}));
    return;
  }
  levels_outside(d, map);
  if (d.part(map).is(Op::Transpose)) d.try_step("transpose-of-transpose", {}, transposed);
}

void levels_outside(Deriver& d, const Place& columns) {
  const Expr body = d.part(columns).child(0).child(0);
  if (body.is(Op::Let)) {
    d.step("map-of-let", {}, columns);
    levels_outside(d, below(columns, {0}));
    d.try_step("let-of-transpose", {}, columns);
    levels_outside(d, below(columns, {1, 0}));
  } else if (is_scan(body.op())) {
    d.step("map-of-scan", {}, columns);
    argument_levels_outside(d, below(columns, {0, 2}));
  } else if (is_map(body.op()) && op_rank(body) == 1) {
    if (d.try_step("map-of-mapped", {}, columns)) argument_levels_outside(d, below(columns, {0, 1}));
  }
}

/// Columns with a name are arrays of the thread or work-item.
void keep_private(Deriver& d) {
  const auto named = [](const Expr& e) {
    return e.is(Op::Let) && has_scan(e.child(0)) && !e.child(0).is(Op::ToPrivate);
  };
  for (Place p; find_place(d.part({}), named, p); p.clear()) d.step("to-private", {}, below(p, {0}));
}

/// Loops that are left: rows of points, and what is made of columns.
void lower_others(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  for (;;) {
    const Expr& body = d.program().body;
    const std::vector<Place> all = loop_places(body);
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const Place& p) { return part_at(body, p).is(Op::Map); });
    if (it == all.end()) return;
    const Place p = *it;
    const bool vectors =
        is_vector(c) && shape_of(part_at(body, p).type(), 1)[0].constant().value_or(1 << 20) >= f.lanes;
    if (op_rank(part_at(body, p)) > 1) {
      d.step("map-nest", {}, p);
      continue;
    }
    if (!vectors || !is_by_levels(f, c) || !d.try_step("map-vec", {chosen(c, "width", "1")}, p))
      d.step("map-seq", {}, p);
    if (const std::string ahead = chosen(c, "prefetch", "0"); ahead != "0") d.step("prefetch", {ahead}, p);
  }
}

}  // namespace

void derive_scans(Deriver& d, const ScanLoop& loop) {
  for (Place p; find_place(d.part({}), is_undecided_scan, p); p.clear()) {
    d.step("scan-seq", {}, p);
    if (loop.stored && rank_of(d.part(p).child(1).type()) == 0) d.step("scan-stored", {}, p);
    if (loop.unroll > 1) d.step("scan-unroll", {std::to_string(loop.unroll)}, p);
    if (loop.prefetch > 0) d.step("scan-prefetch", {std::to_string(loop.prefetch)}, p);
  }
}

namespace {

ScanLoop scan_loop(const SpaceFacts& f, const Configuration& c) {
  if (is_by_levels(f, c)) return {};  // the loops over the points of a level are the inner ones
  return {chosen(c, "kcache", "no") == "no", std::stoll(chosen(c, "unroll", "1")),
          std::stoll(chosen(c, "prefetch", "0"))};
}

/// How the loops around the scans run: on threads, on work-items, or on work-groups with an item for each
/// column of a tile.
void lower_around(Deriver& d, const SpaceFacts& f, const Configuration& c,
                  const std::vector<std::string>& names) {
  const bool grid = is_grid(f.options.target);
  std::vector<std::string> parallel = words(chosen(c, grid ? "grid" : "parallel", "none"));
  const bool groups = parallel == std::vector<std::string>{"groups"}, solo = is_solo(c);
  if (groups) parallel.assign(names.begin(), names.end() - 1);  // the tiles and the loops around them
  const std::ptrdiff_t most = 4;  // dimensions of a grid; the last two share one
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto dimension = parallel.end() - std::find(parallel.begin(), parallel.end(), names[i]) - 1;
    if (groups && i + 1 == names.size())
      d.step("map-lcl", {"0"}, d.loop(i));
    else if (dimension < 0 || dimension >= most)
      d.step("map-seq", {}, d.loop(i));
    else if (!grid)
      d.step("map-par", {}, d.loop(i));
    else
      d.step(groups || solo ? "map-wrg" : "map-glb", {std::to_string(dimension)}, d.loop(i));
  }
}

}  // namespace

void derive_columns(Deriver& d, const SpaceFacts& f, const Configuration& c) {
  const std::size_t rank = f.axes.size();
  d.nest_all();
  const std::string tile = chosen(c, "tile", "none");
  Place columns = d.loop(rank - 1);
  if (tile != "none") {
    d.step("split-join", {tile.substr(1)}, columns);
    columns = below(columns, {0, 0, 0});
  }
  if (is_by_levels(f, c)) levels_outside(d, columns);
  std::vector<std::string> names;  // of the loops around
  for (std::size_t a = 0; a + 1 < rank; ++a) names.push_back(f.axes[a].name);
  if (tile != "none") names.emplace_back("ii");
  if (is_by_columns(f, c)) names.emplace_back("i");
  lower_around(d, f, c, names);
  if (chosen(c, "keep", "work") == "private") keep_private(d);
  derive_scans(d, scan_loop(f, c));
  lower_others(d, f, c);
}

}  // namespace lift
