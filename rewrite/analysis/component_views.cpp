#include "rewrite/analysis/component_views.hpp"

#include <unordered_map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// Which component, of which, ... a function takes of its argument, outermost first; none: something else.
std::vector<std::int64_t> components_taken_by(const Expr& f) {
  std::vector<std::int64_t> way;
  Expr e = f.child(0);
  for (; e.is(Op::Get); e = e.child(0)) way.insert(way.begin(), tuple_index(e));
  const bool argument = e.is(Op::Bound) && bound_depth(e) == 0 && bound_index(e) == 0;
  return argument ? way : std::vector<std::int64_t>{};
}

bool is_view(const Expr& e) { return e.is(Op::Get) && (e.child(0).is(Op::Unzip) || is_view(e.child(0))); }

class Views {
 public:
  Expr of(const Expr& e) {
    if (const auto it = known_.find(e.id()); it != known_.end()) return it->second;
    Expr r = map_children(e, [&](const Expr& c) { return of(c); });
    if (r.is(Op::Map) && (r.child(1).is(Op::Bound) || r.child(1).is(Op::Param))) {
      Expr view = r.child(1);
      const auto way = components_taken_by(r.child(0));
      for (const std::int64_t i : way) view = get(static_cast<int>(i), unzip_n(op_rank(r), view));
      if (!way.empty()) r = view;
    }
    if (r.is(Op::Let) && is_view(r.child(0)) && !(r == e))
      r = of(instantiate(r.child(1), std::vector<Expr>{r.child(0)}));
    known_.emplace(e.id(), r);
    return r;
  }

 private:
  std::unordered_map<std::uint32_t, Expr> known_;
};

}  // namespace

Expr with_component_views(const Expr& e) { return Views().of(e); }

}  // namespace lift
