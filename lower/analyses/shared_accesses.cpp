#include "lower/analyses/shared_accesses.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lower/analyses/other_variables.hpp"

namespace lift {

void Accesses::of(const Stmt& s) {
  if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
  const auto* store = std::get_if<Store>(&s.v);
  visit_accesses(s, [&](const ElementAccess& a) {
    if (shared_.count(a.array))
      all.push_back({a.array, a.position, a.store, a.store && store && store->async, loops_, inner_, {}});
  });
  if (const auto* i = std::get_if<If>(&s.v))
    for (const Stmt& x : i->body) of(x);
  if (std::holds_alternative<Store>(s.v)) {
    stored.emplace_back();
    for (const auto& [dim, l] : loops_) stored.back().insert(dim);
  }
}

void Accesses::loop(const For& f) {
  const auto outer = loops_;
  const bool apart =
      among_ == Sharers::Group ? f.kind == LoopKind::Lcl : f.kind == LoopKind::Glb || f.kind == LoopKind::Wrg;
  if (apart) loops_[f.dim] = {f.var, f.lower, f.upper - f.lower, f.items};
  inner_.push_back(variables(f.var).at(0));
  for (const Stmt& s : f.body) of(s);
  inner_.pop_back();
  loops_ = outer;
}

namespace {

bool mentions_any(const Nat& n, const std::vector<const NatAtom*>& vs) {
  const auto mine = variables(n);
  return std::any_of(mine.begin(), mine.end(),
                     [&](const NatAtom* a) { return std::find(vs.begin(), vs.end(), a) != vs.end(); });
}

/// The work-item along one dimension that executes an iteration is given by the iteration in the same way.
bool dealt_alike(const ItemLoop& a, const ItemLoop& b) {
  if (!(a.lower == b.lower)) return false;
  const auto one_each = [](const ItemLoop& x, std::int64_t items) {
    return x.items == 0 || (x.items == items && Facts().proves(less_equal(x.trips, items)));
  };
  if (a.items == b.items || (one_each(a, b.items) && one_each(b, a.items))) return true;
  return (a.items == 0 && Facts().proves(less_equal(a.trips, b.items))) ||
         (b.items == 0 && Facts().proves(less_equal(b.trips, a.items)));
}

/// One index of a position as coefficient * iteration + fixed + varying, where 0 <= varying < coefficient.
struct Digit {
  std::int64_t coefficient = 0;
  Nat fixed;
};
std::optional<Digit> digit(const Nat& index, const Nat& var, const std::vector<const NatAtom*>& inner) {
  const auto x = affine_in(index, var);
  const auto k = x ? x->coefficient.constant() : std::nullopt;
  if (!k || *k <= 0) return std::nullopt;
  Nat fixed = 0, varying = 0;
  for (const NatTerm& t : terms(x->rest)) {
    const Nat one = detail::from_terms({t});
    (mentions_any(one, inner) ? varying : fixed) = (mentions_any(one, inner) ? varying : fixed) + one;
  }
  if (!Facts().proves_nonnegative(varying) || !Facts().proves(less(varying, *k))) return std::nullopt;
  return Digit{*k, fixed};
}

}  // namespace

bool same_item(const Access& a, Access b, std::vector<int> dims) {
  std::vector<const NatAtom*> inner = a.inner;
  inner.insert(inner.end(), b.inner.begin(), b.inner.end());
  for (bool progress = true; progress && !dims.empty();) {
    progress = false;
    for (const int dim : std::vector<int>(dims)) {
      const auto x = a.loops.find(dim);
      const auto y = std::as_const(b.loops).find(dim);
      if (x == a.loops.end() || y == b.loops.end()) return false;  // all items of the dimension take part
      if (mentions_any(x->second.lower, inner)) continue;          // not the same in both
      bool same = x->second.trips == Nat(1) && y->second.trips == Nat(1);
      for (std::size_t c = 0; c < a.position.size() && !same && dealt_alike(x->second, y->second); ++c) {
        const auto p = digit(a.position[c], x->second.var, inner),
                   q = digit(b.position[c], y->second.var, inner);
        same = p && q && p->coefficient == q->coefficient && p->fixed == q->fixed;
      }
      if (!same) continue;
      for (Nat& p : b.position)
        p = substitute(p, y->second.var, x->second.var);  // from here on the two are one
      std::erase(inner, variables(x->second.var).at(0));
      std::erase(dims, dim), progress = true;
    }
  }
  return dims.empty();
}

namespace {

/// x of x mod m, where n is that.
std::optional<std::pair<Nat, std::int64_t>> remainder(const Nat& n) {
  const auto ts = terms(n);
  if (ts.size() != 1 || ts[0].coefficient != 1 || ts[0].factors.size() != 1 || ts[0].factors[0].power != 1)
    return std::nullopt;
  const NatAtom& atom = *ts[0].factors[0].atom;
  const auto m = atom.kind == AtomKind::Mod ? atom.b.constant() : std::nullopt;
  if (!m) return std::nullopt;
  return std::pair(atom.a, *m);
}
bool differ(const Nat& a, const Nat& b) {
  if (Facts().proves({NatCond::Kind::NonZero, a - b})) return true;
  const auto x = remainder(a), y = remainder(b);
  if (!x || !y || x->second != y->second) return false;
  const auto apart = (x->first - y->first).constant();
  return apart && *apart % x->second != 0;
}
bool exclude_each_other(const std::vector<NatCond>& a, const std::vector<NatCond>& b) {
  Facts facts;
  for (const NatCond& c : a) facts = facts.with(c);
  return std::any_of(b.begin(), b.end(), [&](const NatCond& c) { return facts.refutes(c); });
}

}  // namespace

bool disjoint(const Access& a, const Access& b) {
  if (exclude_each_other(a.conditions, b.conditions)) return true;
  const std::vector<Nat> other = with_other_inner(b.position, b.inner);
  for (std::size_t c = 0; c < a.position.size(); ++c)
    if (differ(a.position[c], other[c])) return true;
  return false;
}

Nat another(const For& f) { return Nat::fresh(f.var.str(), f.lower, f.upper - 1); }

std::vector<Access> of_another(const For& f, std::vector<Access> all, const Nat& iteration) {
  for (Access& a : all) {
    Renamed there{{variables(f.var).at(0), iteration}};
    for (const NatAtom*& v : a.inner) {  // those whose range is another one there
      const auto changes = [&](const Nat& n) {
        const auto& in = variables(n);
        return std::any_of(in.begin(), in.end(), [&](const NatAtom* x) { return there.contains(x); });
      };
      if (!changes(v->lower) && !changes(v->upper)) continue;
      const Nat other = renamed(*v, there);
      there[v] = other, v = variables(other).at(0);
    }
    for (Nat& p : a.position) p = substitute(p, there);
    for (NatCond& c : a.conditions) c.a = substitute(c.a, there);
    for (auto& [dim, l] : a.loops)
      l.var = substitute(l.var, there), l.lower = substitute(l.lower, there),
      l.trips = substitute(l.trips, there);
  }
  return all;
}

bool crosses_items(const For& f) {
  std::map<std::string, bool> stored;
  std::set<int> dims;
  visit(f.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) stored[x->array] = true;
    const auto* g = std::get_if<For>(&s.v);
    if (g && (g->kind == LoopKind::Glb || g->kind == LoopKind::Wrg) && !(g->upper - g->lower == Nat(1)))
      dims.insert(g->dim);
  });
  visit(f.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) stored.erase(a->name);
  });
  if (dims.empty()) return false;
  Accesses here(stored, Sharers::Grid);
  for (const Stmt& s : f.body) here.of(s);
  const std::vector<Access> there = of_another(f, here.all, another(f));
  for (const Access& a : here.all) {
    if (!a.write) continue;
    for (const Access& b : there)
      if (a.array == b.array && !same_item(a, b, {dims.begin(), dims.end()}) && !disjoint(a, b)) return true;
  }
  return false;
}

}  // namespace lift
