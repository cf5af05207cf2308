#include "rewrite/rules/replaced.hpp"

#include <map>

namespace lift {

Expr replaced(const Expr& e, const std::function<std::optional<Expr>(const Expr&)>& by) {
  std::map<std::uint32_t, Expr> known;
  const std::function<Expr(const Expr&)> go = [&](const Expr& x) -> Expr {
    if (const auto at = known.find(x.id()); at != known.end()) return at->second;
    const auto r = by(x);
    return known.emplace(x.id(), r ? *r : map_children(x, go)).first->second;
  };
  return go(e);
}

}  // namespace lift
