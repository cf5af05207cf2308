// Results that have a name: of a chain in tiles they are copied, as each tile keeps its own.
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/common/common.hpp"

namespace lift {

std::vector<Place> named_results(const Program& program) {
  std::vector<Place> r;
  Place at;
  Expr e = program.body;
  for (; e.is(Op::Let); e = e.child(1).child(0)) at.insert(at.end(), {1, 0});
  for (std::size_t i = 0; e.is(Op::Tuple) && i < e.children().size(); ++i)
    if (e.child(i).is(Op::Bound) && e.child(i).type().is_array())
      r.push_back(component_of(at, static_cast<int>(i)));
  return r;
}

Rewriting with_results_copied(Rewriting r) {
  for (const Place& p : named_results(r.program))
    r = run(use("identity-map", {std::int64_t{rank_of(part_at(r.program.body, p).type())}}), r, p);
  return r;
}

}  // namespace lift
