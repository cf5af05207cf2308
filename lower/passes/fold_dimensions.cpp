// A grid has three dimensions. Loops over a fourth one, such as that over boxes around tiles of their cells,
// share the third: work-group g of dimension 2 does iteration g div n of the outer loop and g mod n of the
// inner one, n long.
#include "ir/error.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr int fourth = 3, third = 2;

bool is_loop(const Stmt& s, LoopKind kind, int dim) {
  const auto* f = std::get_if<For>(&s.v);
  return f && f->kind == kind && f->dim == dim;
}

/// The longest loop over the third dimension in a block; 1 when there is none.
Nat longest(const Block& b, LoopKind kind) {
  Nat n = 1;
  visit(b, [&](const Stmt& s) {
    if (!is_loop(s, kind, third)) return;
    const auto& f = std::get<For>(s.v);
    if (f.items > 0)
      throw UserError(
          "grid: loops over two dimensions share dimension 2, which leaves none to deal out; leave out the "
          "items of the loop over " +
          f.var.str());
    n = max(n, f.upper - f.lower);
  });
  return n;
}

Block fold(For f) {
  if (f.items > 0)
    throw UserError(
        "grid: loops over two dimensions share dimension 2, which leaves none to deal out; leave out the "
        "items of the loop over " +
        f.var.str());
  const Nat n = longest(f.body, f.kind), outer = f.upper - f.lower;
  const Nat g = Nat::fresh(n == Nat(1) ? f.var.str() : "g", 0, outer * n - 1);
  Block body = at_index(f.body, f.var, f.lower + floordiv(g, n));
  f.body = rebuild(body, [&](Stmt s) -> Block {
    if (!is_loop(s, f.kind, third)) return {std::move(s)};
    const auto& inner = std::get<For>(s.v);
    const Nat trips = inner.upper - inner.lower, own = mod(g, n);
    Block once = at_index(inner.body, inner.var, inner.lower + own);
    if (trips == n) return once;
    return {{If{{compare_term(less(own, trips))}, std::move(once)}}};
  });
  f.var = g, f.lower = 0, f.upper = outer * n, f.dim = third;
  return {{std::move(f)}};
}

}  // namespace

Block fold_dimensions(const Block& b) {
  return distinct_names(rebuild(b, [](Stmt s) -> Block {
    for (const LoopKind kind : {LoopKind::Glb, LoopKind::Wrg})
      if (is_loop(s, kind, fourth)) return fold(std::move(std::get<For>(s.v)));
    return {std::move(s)};
  }));
}

}  // namespace lift
