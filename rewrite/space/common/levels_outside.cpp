// A loop over columns, and what its function makes of each, the other way round: scans and reductions over
// rows, with an element of each column.
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/space/common/common.hpp"

namespace lift {
namespace {

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

bool is_looped(const Expr& e) { return e.is(Op::ReduceSeq) || is_long_reduction(e); }

/// Where a reduction stands within what a function makes, but for functions therein; inner ones first.
bool find_reduction(const Expr& e, Place& at) {
  if (e.is(Op::Lambda)) return false;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    if (find_reduction(e.child(i), at)) return true;
    at.pop_back();
  }
  return is_looped(e);
}

bool has_loops(const Expr& e) {
  return contains(e, [](const Expr& x) { return is_scan(x.op()) || is_looped(x); });
}

void reduction_outside(Deriver& d, const Place& columns) {
  d.step("map-of-reduce", columns);
  const Place array = array_of(columns), made = body_of(content_of(array));
  if (const Expr e = d.part(made); is_of_rank(e, Op::Map, 1) && contains(e.child(0), is_looped)) {
    d.step("map-of-mapped", content_of(array));
    d.step("transpose-of-transpose", array);
    levels_outside(d, body_of(array));
  } else {
    d.try_step("transpose-of-joined", array);
  }
  if (contains(d.part(initial_of(columns)), is_looped)) levels_outside(d, initial_of(columns));
}

}  // namespace

void levels_outside(Deriver& d, const Place& columns) {
  const Expr made = d.part(body_of(columns));
  Place part;
  if (!made.type().has_arrays() && !has_loops(made)) return;
  if (made.is(Op::Let)) {
    d.step("map-of-let", columns);
    levels_outside(d, let_value(columns));
    d.try_step("let-of-transpose", columns);
    levels_outside(d, let_body(columns));
  } else if (is_scan(made.op())) {
    if (!d.try_step("map-of-scan", columns)) d.step("map-of-scans", columns);
    argument_levels_outside(d, array_of(content_of(columns)));
  } else if (is_looped(made)) {
    reduction_outside(d, columns);
  } else if (find_reduction(made, part)) {
    d.step("let-part", Arguments(part.begin(), part.end()), body_of(columns));
    levels_outside(d, columns);
  } else if (is_map(made.op()) && op_rank(made) == 1) {
    if (d.try_step("map-of-mapped", columns) || d.try_step("map-of-maps", columns))
      argument_levels_outside(d, argument_of(content_of(columns)));
  }
}

}  // namespace lift
