#include "rewrite/space/update_form.hpp"

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"

namespace lift {
namespace {

/// Results that are arrays side by side, each of which may be an update.
int side_by_side(const Expr& e) {
  if (e.is(Op::Let)) return side_by_side(e.child(1).child(0));
  return e.is(Op::Tuple) ? static_cast<int>(e.children().size()) : 1;
}

Rewriting with_maps(Rewriting start) {
  for (const Place& sweep : sweeps_of(start.program.body))
    for (int n = 0; n < side_by_side(part_at(start.program.body, sweep)); ++n) {
      const Nest nest = main_nest(start.program.body, sweep, n);
      if (!nest.update || nest.levels.size() > nest.above_update) continue;
      Place block = *nest.update;
      block.push_back(1);
      const Type type = part_at(start.program.body, block).type();
      const int rank = rank_of(type);
      if (!element_of(type, rank).is_scalar()) continue;
      const Result<Rewriting> mapped = use("identity-map", {std::int64_t{rank}})(start, block);
      if (mapped) start = *mapped;
    }
  return start;
}

Rewriting with_names(Rewriting start) {
  Place at;
  for (;;) {
    const Expr e = part_at(start.program.body, at);
    if (const Result<Rewriting> named = use("let-base")(start, at)) {
      start = *named;
    } else if (e.is(Op::Let)) {
      at.insert(at.end(), {1, 0});
    } else {
      return start;
    }
  }
}

}  // namespace

namespace {

/// Updates of named values, each of which copies what it leaves of one.
std::size_t copies_of_names(const Expr& body) {
  std::size_t n = 0;
  visit(body, [&](const Expr& e) { n += e.is(Op::Update) && e.child(0).is(Op::Bound) ? 1 : 0; });
  return n;
}

}  // namespace

Rewriting in_update_form(const Rewriting& start, bool on_grid) {
  Rewriting named = with_names(start);
  if (named.steps.size() == start.steps.size()) return with_maps(std::move(named));
  named = with_maps(std::move(named));
  if (use("update-in-place")(named, {})) return named;
  if (!on_grid)  // else nothing overwrites what has a name now
    if (const auto over = use("overwrite-dead")(named, {});
        over && copies_of_names(over->program.body) <= copies_of_names(start.program.body))
      return named;
  return with_maps(start);
}

}  // namespace lift
