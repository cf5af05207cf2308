#include <algorithm>
#include <set>

#include "ir/nat/nat_atoms.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

using Variables = std::set<const NatAtom*>;

/// Variables that statements of the block define: loop variables and named indices.
Variables defined_in(const Block& b) {
  Variables r;
  visit(b, [&](const Stmt& s) {
    const auto add = [&](const Nat& v) { r.insert(variables(v)[0]); };
    if (const auto* f = std::get_if<For>(&s.v)) add(f->var);
    if (const auto* l = std::get_if<Let>(&s.v))
      if (l->local->kind == TermKind::Index) add(l->local->nats[0]);
  });
  return r;
}
bool uses_any(const Nat& n, const Variables& vs) {
  const auto mine = variables(n);
  return std::any_of(mine.begin(), mine.end(),
                     [&](const NatAtom* a) { return a->computed || vs.count(a) > 0; });
}

/// Largest divisions, remainders, minima and maxima in n that use none of `inner`.
void invariant_atoms(const Nat& n, const Variables& inner, std::vector<const NatAtom*>& found) {
  for (const NatTerm& t : terms(n))
    for (const NatFactor& f : t.factors) {
      if (f.atom->kind == AtomKind::Var) continue;
      if (uses_any(atom_nat(*f.atom), inner)) {
        invariant_atoms(f.atom->a, inner, found), invariant_atoms(f.atom->b, inner, found);
      } else if (!variables(atom_nat(*f.atom)).empty() &&
                 std::find(found.begin(), found.end(), f.atom) == found.end()) {
        found.push_back(f.atom);
      }
    }
}

Nat named(const NatAtom& a, int count) {
  static const char* const names[] = {"v", "q", "s", "lo", "hi"};
  const std::string name =
      names[static_cast<int>(a.kind)] + (count == 0 ? std::string() : std::to_string(count + 1));
  const Nat value = atom_nat(a);
  if (a.kind == AtomKind::Mod) return Nat::fresh(name, 0, a.b - 1);
  const auto known = Facts().bounds(value);
  constexpr std::int64_t far = std::int64_t{1} << 40;
  return Nat::fresh(name, known.lower.value_or(-far), known.upper.value_or(far));
}

/// Names what is invariant in the loops below this block: first divisions and the like, in the outermost
/// block that knows their variables.
bool only_parallel_loop(const Block& b) {
  const auto* f = b.size() == 1 ? std::get_if<For>(&b[0].v) : nullptr;
  return f && (f->kind == LoopKind::Par || f->kind >= LoopKind::Glb);
}

Block name_atoms(const Block& b) {
  if (only_parallel_loop(
          b)) {  // nothing between perfectly nested parallel loops: they are collapsed into one
    For f = std::get<For>(b[0].v);
    f.body = name_atoms(f.body);
    return {{std::move(f)}};
  }
  std::vector<const NatAtom*> atoms;
  std::map<const NatAtom*, int> uses;
  const Variables inner = defined_in(b);
  const auto scan = [&](const Nat& n) {
    std::vector<const NatAtom*> here;
    invariant_atoms(n, inner, here);
    for (const NatAtom* a : here)
      if (++uses[a] == 1) atoms.push_back(a);
  };
  visit_nats(b, [&](const Nat& n, bool) { scan(n); });
  if (!has_loop(b))
    std::erase_if(atoms, [&](const NatAtom* a) { return uses[a] < 2; });  // nothing to be moved out of
  Block r, body = b;
  std::map<AtomKind, int> counts;
  std::vector<std::pair<const NatAtom*, Nat>> names;
  const auto renamed = [&](const Nat& n) {
    return detail::rebuild(n, [&](const NatAtom& x) -> std::optional<Nat> {
      for (const auto& [atom, name] : names)
        if (&x == atom) return name;
      return std::nullopt;
    });
  };
  for (const NatAtom* a : atoms) {
    Nat value = atom_nat(*a);  // names of atoms within it may have made another atom of it, or less
    for (Nat before = 0; !(before == value);) before = value, value = renamed(value);
    const auto ts = terms(value);
    if (ts.size() != 1 || ts[0].coefficient != 1 || ts[0].factors.size() != 1 ||
        ts[0].factors[0].atom->kind == AtomKind::Var)
      continue;
    const NatAtom* now = ts[0].factors[0].atom;
    const Nat v = named(*now, counts[now->kind]++);
    r.push_back({Let{index_term(v), index_term(value)}});
    names.emplace_back(now, v);
    body = map_nats(body, renamed);
  }
  for (Stmt& s : body) {
    if (auto* f = std::get_if<For>(&s.v)) f->body = name_atoms(f->body);
    if (auto* i = std::get_if<If>(&s.v)) i->body = name_atoms(i->body);
    r.push_back(std::move(s));
  }
  return r;
}

/// The terms of n without those that use `inner`, and without the constant.
Nat invariant_part(const Nat& n, const Variables& inner) {
  Nat r = 0;
  for (const NatTerm& t : terms(n)) {
    if (t.factors.empty()) continue;
    const Nat one = detail::from_terms({t});
    if (!uses_any(one, inner)) r = r + one;
  }
  return r;
}
bool worth_a_name(const Nat& n) { return terms(n).size() > 1 || (terms(n).size() == 1 && !n.is_variable()); }

/// Names the invariant part of the flat indices, and conditions, at the start of a block.
Block name_rows(const Block& b) {
  const Variables inner = defined_in(b);
  std::vector<std::pair<Nat, std::int64_t>> rows;  // part, and the constant that goes with it
  std::vector<std::map<std::int64_t, int>> constants;
  const auto note = [&](const Nat& n) {
    const Nat part = invariant_part(n, inner);
    if (!worth_a_name(part)) return;
    std::size_t at = 0;
    while (at < rows.size() && !(rows[at].first == part)) ++at;
    if (at == rows.size()) rows.emplace_back(part, 0), constants.emplace_back();
    const int uses = ++constants[at][constant_part(n)];
    if (uses == 1 && constants[at].size() == 1) rows[at].second = constant_part(n);
    if (uses > constants[at][rows[at].second])
      rows[at].second = constant_part(n);  // most indices need no offset then
  };
  visit_nats(b, [&](const Nat& n, bool position) {
    if (position) note(n);
  });
  if (rows.empty()) return b;
  Block r;
  std::vector<Nat> names;
  constexpr std::int64_t far = std::int64_t{1} << 40;
  for (const auto& [part, c] : rows) {
    Nat value = part + c;
    for (std::size_t x = 0; x < names.size(); ++x)  // a neighbouring row differs by less than it consists of
      if (const Nat rest = part + c - rows[x].first - rows[x].second;
          terms(rest).size() + 1 < terms(value).size())
        value = names[x] + rest;
    names.push_back(Nat::fresh(names.empty() ? "row" : "row" + std::to_string(names.size() + 1), -far, far));
    r.push_back({Let{index_term(names.back()), index_term(value)}});
  }
  const auto relative = [&](const Nat& n) {
    const Nat part = invariant_part(n, inner);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].first == part) return n - part - rows[i].second + names[i];
    return n;
  };
  const Block loads = map_terms(b, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      return x->kind == TermKind::Load ? load_term(x->name, {relative(x->nats[0])}, x->type, x->width) : x;
    });
  });
  const Block body = rebuild(loads, [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v)) x->position = {relative(x->position[0])};
    if (auto* x = std::get_if<Prefetch>(&s.v)) x->position = {relative(x->position[0])};
    return {std::move(s)};
  });
  r.insert(r.end(), body.begin(), body.end());
  return r;
}

/// Masks and conditions that do not change in the loops of a block are computed before them.
Block name_conditions(const Block& b) {
  const Variables inner = defined_in(b);
  std::vector<Term> found;
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    const Block only{s};
    const auto* guarded = std::get_if<If>(&s.v);
    if (!f && !std::holds_alternative<Declare>(s.v) && !(guarded && has_loop(guarded->body))) continue;
    visit_terms(only, [&](const Term& x) {
      if (x->kind != TermKind::Lanes && x->kind != TermKind::Compare) return;
      const bool fixed = std::none_of(x->conds.begin(), x->conds.end(),
                                      [&](const NatCond& c) { return uses_any(c.a, inner); });
      if (fixed && std::find(found.begin(), found.end(), x) == found.end()) found.push_back(x);
    });
  }
  Block r;
  Block body = b;
  int masks = 0, conditions = 0;
  for (const Term& x : found) {
    const std::string name = x->width > 1 ? "mask" + (masks++ ? "_" + std::to_string(masks) : "")
                                          : "inside" + (conditions++ ? std::to_string(conditions) : "");
    const Term local = local_term(name, boolean, x->width);
    r.push_back({Let{local, x}});
    body = map_terms(
        body, [&](const Term& t) { return rewrite(t, [&](const Term& y) { return y == x ? local : y; }); });
  }
  r.insert(r.end(), body.begin(), body.end());
  return r;
}

/// The block holds innermost loops, or none.
bool is_row(const Block& b) {
  return !holds(b, [](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    return f && has_loop(f->body);
  });
}

Block at_rows(const Block& b) {
  if (is_row(b)) {
    // Named indices at the start stay in front of what is named now.
    auto first = std::find_if(b.begin(), b.end(), [](const Stmt& s) {
      const auto* l = std::get_if<Let>(&s.v);
      return !l || l->local->kind != TermKind::Index || l->local->nats[0].str() == "head";
    });
    Block r(b.begin(), first);
    for (Stmt& s : name_conditions(name_rows(Block(first, b.end())))) r.push_back(std::move(s));
    return r;
  }
  Block r = b;
  for (Stmt& s : r) {
    if (auto* f = std::get_if<For>(&s.v)) f->body = at_rows(f->body);
    if (auto* i = std::get_if<If>(&s.v)) i->body = at_rows(i->body);
  }
  return r;
}

}  // namespace

Block hoist_loop_invariants(const Block& b) { return at_rows(name_atoms(b)); }

}  // namespace lift
