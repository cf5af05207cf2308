#include <map>

#include "ir/error.hpp"
#include "lower/passes.hpp"

namespace lift {

Block linearise(const Block& b, const Kernel& k) {
  std::map<std::string, Layout> layouts;
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array()) layouts[a.name] = a.layout;
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) layouts[a->name] = Layout({}, a->type);
  });
  const auto flat = [&](const std::string& array, const std::vector<Nat>& position) {
    const auto it = layouts.find(array);
    if (it == layouts.end()) throw InternalError("linearise: no array " + array);
    return it->second.index(position);
  };
  const Block loads = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) { return x->kind == TermKind::Load ? load_term(x->name, {flat(x->name, x->nats)}, x->type, x->width) : x; });
  });
  return rebuild(loads, [&](Stmt s) -> Block {
    if (auto* t = std::get_if<Store>(&s.v)) t->position = {flat(t->array, t->position)};
    return {std::move(s)};
  });
}

}  // namespace lift
