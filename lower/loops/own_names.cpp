#include "lower/loops/own_names.hpp"

namespace lift {

OwnNames::OwnNames(const Block& b, int copy, std::set<std::string>& taken) {
  visit(b, [&](const Stmt& s) {
    const auto* l = std::get_if<Let>(&s.v);
    const auto* d = std::get_if<Declare>(&s.v);
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!l && !d && !a) return;
    const std::string &name = l   ? l->local->name
                              : d ? d->local->name
                                  : a->name,
                      suffix = "_" + std::to_string(copy);
    if (names_.count(name) > 0) return;
    std::string own = name + suffix;
    while (!taken.insert(own).second) own += suffix;
    names_.emplace(name, own);
  });
}

const std::string& OwnNames::of(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? name : it->second;
}

Term OwnNames::of(const Term& t) const {
  return rewrite(t, [&](const Term& x) {
    const bool load = x->kind == TermKind::Load;
    if ((!load && x->kind != TermKind::Local) || names_.count(x->name) == 0) return x;
    return load ? load_term(of(x->name), x->nats, x->type, x->width)
                : local_term(of(x->name), x->type, x->width);
  });
}

Block OwnNames::of(const Block& b) const {
  return rebuild(map_terms(b, [&](const Term& t) { return of(t); }), [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Let>(&s.v)) x->local = of(x->local);
    if (auto* x = std::get_if<Declare>(&s.v)) x->local = of(x->local);
    if (auto* x = std::get_if<Assign>(&s.v)) x->local = of(x->local);
    if (auto* x = std::get_if<Store>(&s.v)) x->array = of(x->array);
    if (auto* x = std::get_if<Prefetch>(&s.v)) x->array = of(x->array);
    if (auto* x = std::get_if<Allocate>(&s.v)) x->name = of(x->name);
    return {std::move(s)};
  });
}

}  // namespace lift
