#include "rewrite/analysis/parts.hpp"

#include "ir/expr/ops.hpp"

namespace lift {

bool is_computed(const Expr& e) {
  return contains(e, [](const Expr& x) {
    return is_map(x.op()) || is_reduce(x.op()) || is_scan(x.op()) || is_update(x.op()) || x.is(Op::Iterate) ||
           x.is(Op::Generate);
  });
}

std::vector<Place> parts_of(const Expr& body) {
  std::vector<Place> r;
  Place at;
  const auto add = [&](const Expr& e, int child) {
    if (!is_computed(e)) return;
    r.push_back(at), r.back().push_back(child);
  };
  Expr e = body;
  for (; e.is(Op::Let); e = e.child(1).child(0)) {
    add(e.child(0), 0);
    at.insert(at.end(), {1, 0});
  }
  if (e.is(Op::Tuple))
    for (std::size_t i = 0; i < e.children().size(); ++i) add(e.child(i), static_cast<int>(i));
  else if (is_computed(e))
    r.push_back(at);
  return r;
}

}  // namespace lift
