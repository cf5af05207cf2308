#include "lower/loops/visit.hpp"

#include <set>

#include "ir/nat/nat_atoms.hpp"

namespace lift {

namespace {

template <class T, class S>
T* value_in(S& s) {
  if (auto* x = std::get_if<Store>(&s.v)) return &x->value;
  if (auto* x = std::get_if<Let>(&s.v)) return &x->value;
  if (auto* x = std::get_if<Declare>(&s.v)) return &x->value;
  if (auto* x = std::get_if<Assign>(&s.v)) return &x->value;
  return nullptr;
}

}  // namespace

bool holds(const Block& b, const std::function<bool(const Stmt&)>& what) {
  bool found = false;
  visit(b, [&](const Stmt& s) { found = found || what(s); });
  return found;
}
bool has_loop(const Block& b) {
  return holds(b, [](const Stmt& s) { return std::holds_alternative<For>(s.v); });
}

const Term* value_of(const Stmt& s) { return value_in<const Term>(s); }
Term* value_of(Stmt& s) { return value_in<Term>(s); }

void visit_values(const Stmt& s, const std::function<void(const Term&)>& f) {
  if (const Term* t = value_of(s)) f(*t);
  if (const auto* i = std::get_if<If>(&s.v))
    for (const Term& c : i->conditions) f(c);
}

void visit_terms(const Block& b, const std::function<void(const Term&)>& f) {
  visit(b, [&](const Stmt& s) { visit_values(s, [&](const Term& t) { visit(t, f); }); });
}

void visit_accesses(const Stmt& s, const std::function<void(const ElementAccess&)>& f) {
  visit_values(s, [&](const Term& t) {
    visit(t, [&](const Term& x) {
      if (x->kind == TermKind::Load) f({x->name, x->nats, false, x->width});
    });
  });
  if (const auto* x = std::get_if<Store>(&s.v)) f({x->array, x->position, true, x->value->width});
  if (const auto* x = std::get_if<CopyRow>(&s.v))
    f({x->from, x->from_position, false, 1}), f({x->to, x->to_position, true, 1});
}

bool loads(const Term& t, const std::string& array) {
  bool found = false;
  visit(t, [&](const Term& x) { found |= x->kind == TermKind::Load && x->name == array; });
  return found;
}

void visit_nats(const Block& b, const std::function<void(const Nat&, bool)>& f) {
  const auto positions = [&](const std::vector<Nat>& position) {
    for (const Nat& n : position) f(n, true);
  };
  visit(b, [&](const Stmt& s) {
    if (const auto* l = std::get_if<For>(&s.v)) f(l->lower, false), f(l->upper, false);
    if (const auto* x = std::get_if<Store>(&s.v)) positions(x->position);
    if (const auto* x = std::get_if<Prefetch>(&s.v)) positions(x->position);
    if (const auto* x = std::get_if<CopyRow>(&s.v))
      positions(x->from_position), positions(x->to_position), f(x->elements, false);
    visit_values(s, [&](const Term& t) {
      visit(t, [&](const Term& x) {
        for (const Nat& n : x->nats) f(n, x->kind == TermKind::Load);
        for (const NatCond& c : x->conds) f(c.a, false);
      });
    });
  });
}

NamedIndices named_indices(const Block& b) {
  NamedIndices r;
  visit(b, [&](const Stmt& s) {
    const auto* l = std::get_if<Let>(&s.v);
    if (l && l->local->kind == TermKind::Index && l->value->kind == TermKind::Index)
      r[variables(l->local->nats[0]).at(0)] = l->value->nats[0];
  });
  return r;
}
Nat expanded(const Nat& n, const NamedIndices& names) {
  Nat r = n;
  for (bool changed = true; changed;) {
    const Nat next = detail::rebuild(r, [&](const NatAtom& a) -> std::optional<Nat> {
      const auto it = names.find(&a);
      return it == names.end() ? std::nullopt : std::optional(it->second);
    });
    changed = !(next == r);
    r = next;
  }
  return r;
}

bool is_conditional(const Term& t) {
  if (t->kind != TermKind::Apply) return false;
  return t->op == Op::Select ? t->args[0]->width == 1
                             : t->width == 1 && (t->op == Op::And || t->op == Op::Or);
}

namespace {

void visit_certain(const Term& t, std::set<std::uint32_t>& seen, const std::function<void(const Term&)>& f) {
  if (!seen.insert(t->id).second) return;
  const std::size_t certain = is_conditional(t) ? 1 : t->args.size();
  for (std::size_t i = 0; i < certain; ++i) visit_certain(t->args[i], seen, f);
  f(t);
}

}  // namespace

void visit_certain(const Term& t, const std::function<void(const Term&)>& f) {
  std::set<std::uint32_t> seen;
  visit_certain(t, seen, f);
}

}  // namespace lift
