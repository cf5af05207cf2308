// Programs with bands that no rule makes.
#pragma once

#include <functional>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"

namespace lift::test {

/// p with other numbers in its bands.
inline Program with_bands(const Program& p, const std::function<void(Band&)>& change) {
  Program q = p;
  const std::function<Expr(const Expr&)> changed = [&](const Expr& given) {
    const Expr e = map_children(given, changed);
    if (!e.is(Op::Band)) return e;
    Band b = band_of(e);
    change(b);
    return make(Op::Band, {e.child(0)}, attributes::band(b));
  };
  q.body = changed(p.body);
  return q;
}
/// With other shifts in those of one shape.
inline Program with_shifts(const Program& p, Band::Shape shape, const std::vector<std::int64_t>& shifts) {
  return with_bands(p, [&](Band& b) {
    if (b.shape == shape) b.shifts = shifts;
  });
}

}  // namespace lift::test
