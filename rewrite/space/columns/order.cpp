// Whether the levels are the inner loop, or go around the points of a row.
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/columns/columns.hpp"

namespace lift {
namespace {

/// The loop over columns at `columns` goes inside the loops that its function makes of each column.
void levels_outside(Deriver& d, const Place& columns);

/// What a loop goes over: maps of scans in it, too.
void argument_levels_outside(Deriver& d, const Place& transposed) {
  const Place map = content_of(transposed);
  const Expr made = d.part(body_of(map));
  if (!has_scan(made)) return;
  if (made.is(Op::Zip)) {
    if (!d.try_step("map-of-zip", map) || !d.try_step("transpose-of-zip", transposed)) return;
    for (int i = 0; i < static_cast<int>(made.children().size()); ++i)
      if (has_scan(made.child(static_cast<std::size_t>(i))))
        argument_levels_outside(d, component_of(transposed, i));
    return;
  }
  levels_outside(d, map);
  if (d.part(map).is(Op::Transpose)) d.try_step("transpose-of-transpose", transposed);
}

void levels_outside(Deriver& d, const Place& columns) {
  const Expr made = d.part(body_of(columns));
  if (made.is(Op::Let)) {
    d.step("map-of-let", columns);
    levels_outside(d, let_value(columns));
    d.try_step("let-of-transpose", columns);
    levels_outside(d, let_body(columns));
  } else if (is_scan(made.op())) {
    d.step("map-of-scan", columns);
    argument_levels_outside(d, array_of(content_of(columns)));
  } else if (is_map(made.op()) && op_rank(made) == 1) {
    if (d.try_step("map-of-mapped", columns)) argument_levels_outside(d, argument_of(content_of(columns)));
  }
}

}  // namespace

std::vector<Loops> columns::orders(const ColumnFacts& f) {
  if (f.axes.size() > 1) return {"j i k"_loops, "j k i"_loops};
  return {"i k"_loops, "k i"_loops};
}

bool columns::is_by_columns(const Configuration& c) {
  const Loops& order = c[key::order];
  return order.names.empty() || order.names.back() == "k";
}

namespace columns {

const ColumnDecision& order() {
  static const ColumnDecision d =
      decide<ColumnFacts>(key::order)
          .offers(orders)
          .taken([](Deriver& deriver, const ColumnFacts&, const Configuration& c, const Place& loop) {
            if (!is_by_columns(c)) levels_outside(deriver, loop);
          })
          .said([](const ColumnFacts&, const Configuration& c) -> std::string {
            return is_by_columns(c) ? "" : "levels outside points";
          })
          .is_switch("loop order", "there is one order of the loops only");
  return d;
}

}  // namespace columns
}  // namespace lift
