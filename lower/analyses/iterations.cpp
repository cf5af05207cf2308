#include "lower/analyses/iterations.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "ir/nat/nat.hpp"
#include "lower/analyses/other_variables.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

bool meet_in_same(const Touched& a, const Touched& b, const Nat& var) {
  if (a.position.size() != b.position.size()) return false;
  const std::vector<Nat> other = with_other_inner(b.position, b.inner);
  for (std::size_t d = 0; d < a.position.size(); ++d) {
    const auto x = affine_in(a.position[d], var), y = affine_in(other[d], var);
    if (!x || !y || !(x->coefficient == y->coefficient)) continue;
    const Nat apart = x->rest - y->rest, c = x->coefficient;
    if (Facts().proves(less(0, c)) && Facts().proves(less(apart, c)) && Facts().proves(less(-c, apart)))
      return true;
  }
  return false;
}

}  // namespace

std::vector<Touched> touched_by(const Block& b) {
  std::vector<Touched> all;
  std::set<std::string> own;
  std::vector<const NatAtom*> inner;
  const std::function<void(const Block&)> go = [&](const Block& block) {
    for (const Stmt& s : block) {
      if (const auto* a = std::get_if<Allocate>(&s.v)) own.insert(a->name);
      visit_accesses(s, [&](const ElementAccess& x) {
        all.push_back({x.array, x.position, x.store, inner});
      });
      const auto* f = std::get_if<For>(&s.v);
      if (f) inner.push_back(variables(f->var).at(0));
      if (const Block* body = body_of(s)) go(*body);
      if (f) inner.pop_back();
    }
  };
  go(b);
  std::erase_if(all, [&](const Touched& a) { return own.contains(a.array); });
  return all;
}

bool may_meet(const Touched& a, const Touched& b) { return (a.store || b.store) && a.array == b.array; }

bool are_apart(const std::vector<Touched>& first, const std::vector<Touched>& second, const Nat& var) {
  return std::all_of(first.begin(), first.end(), [&](const Touched& a) {
    return std::all_of(second.begin(), second.end(),
                       [&](const Touched& b) { return !may_meet(a, b) || meet_in_same(a, b, var); });
  });
}

bool are_independent(const For& f) {
  const std::vector<Touched> all = touched_by(f.body);
  return are_apart(all, all, f.var) && !holds(f.body, [](const Stmt& s) {
           return std::holds_alternative<Assign>(s.v) || std::holds_alternative<Barrier>(s.v);
         });
}

bool may_precede(const Block& later, const Block& statements) {
  std::set<std::string> made;
  bool pure = true;
  visit(statements, [&](const Stmt& s) {
    if (const auto* l = std::get_if<Let>(&s.v)) made.insert(l->local->name);
    if (const auto* d = std::get_if<Declare>(&s.v)) made.insert(d->local->name);
    if (const auto* a = std::get_if<Assign>(&s.v)) made.insert(a->local->name);
    pure = pure && !std::holds_alternative<Barrier>(s.v) && !std::holds_alternative<Launch>(s.v);
  });
  visit_terms(later,
              [&](const Term& t) { pure = pure && !(t->kind == TermKind::Local && made.contains(t->name)); });
  visit(later, [&](const Stmt& s) {
    const auto* a = std::get_if<Assign>(&s.v);
    if (!a) return;
    pure = pure && !made.contains(a->local->name);
    visit_terms(statements, [&](const Term& t) {
      pure = pure && !(t->kind == TermKind::Local && t->name == a->local->name);
    });
  });
  const std::vector<Touched> of_later = touched_by(later), of_others = touched_by(statements);
  return pure && std::none_of(of_later.begin(), of_later.end(), [&](const Touched& a) {
           return std::any_of(of_others.begin(), of_others.end(),
                              [&](const Touched& b) { return may_meet(a, b); });
         });
}

}  // namespace lift
