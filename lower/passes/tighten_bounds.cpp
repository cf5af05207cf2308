#include <algorithm>

#include "ir/error.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Moves `f` to the range [lower, upper): a new variable, whose own range is that interval.
For with_range(For f, const Nat& lower, const Nat& upper) {
  const Nat v = Nat::fresh(f.var.str(), lower, upper - 1);
  f.body = at_index(f.body, f.var, v);
  f.var = v, f.lower = lower, f.upper = upper;
  return f;
}

/// k * floordiv(x, m) + rest >= 0 as a condition on x; nothing where v is in anything but x, or in no
/// quotient.
std::optional<NatCond> of_dividend(const NatCond& c, const Nat& v) {
  for (const NatTerm& t : terms(c.a)) {
    if (t.factors.size() != 1) continue;
    const NatAtom& atom = *t.factors[0].atom;
    const Nat rest = c.a - t.coefficient * atom_nat(atom);
    if (atom.kind != AtomKind::FloorDiv || !mentions(atom.a, v) || mentions(rest, v)) continue;
    if (atom.b.constant().value_or(0) <= 0) continue;
    const std::int64_t k = t.coefficient;
    if (k > 0) return less_equal(atom.b * ceildiv(-rest, k), atom.a);
    return less(atom.a, atom.b * (floordiv(rest, -k) + 1));
  }
  return std::nullopt;
}

/// c says something about the variable alone: its bounds, or nothing.
bool narrow(const NatCond& c, const Nat& v, Nat& lower, Nat& upper) {
  if (c.kind != NatCond::Kind::NonNegative) return false;
  if (const auto of_x = of_dividend(c, v)) return narrow(*of_x, v, lower, upper);
  const auto a = affine_in(c.a, v);
  if (!a || !a->coefficient.is_constant()) return false;
  const std::int64_t k = *a->coefficient.constant();
  if (k == 0) return false;
  if (k > 0)
    lower = max(lower, ceildiv(-a->rest, k));
  else
    upper = min(upper, floordiv(a->rest, -k) + 1);
  return true;
}

/// Conjunctions apart, decided ones removed. False: never satisfied.
bool flatten(const Term& t, std::vector<Term>& to) {
  if (t->kind == TermKind::Apply && t->op == Op::And)
    return flatten(t->args[0], to) && flatten(t->args[1], to);
  if (t->kind == TermKind::Constant) return t->number != 0;
  if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
  return true;
}

Block guarded(std::vector<Term> conditions, Block body) {
  if (conditions.empty()) return body;
  return {{If{std::move(conditions), std::move(body)}}};
}

bool asks_memory(const Term& t) {
  bool found = false;
  visit(t, [&](const Term& x) { found |= x->kind == TermKind::Load || x->kind == TermKind::Local; });
  return found;
}

/// if a and b: s   if a and c: t   =   if a: (if b: s   if c: t), where s cannot change a.
Block merged(const Block& b) {
  Block r;
  for (const Stmt& s : b) {
    const auto* here = std::get_if<If>(&s.v);
    auto* last = r.empty() ? nullptr : std::get_if<If>(&r.back().v);
    std::vector<Term> common, first, second;
    if (here && last) {
      const auto has = [](const std::vector<Term>& list, const Term& c) {
        return std::find(list.begin(), list.end(), c) != list.end();
      };
      for (const Term& c : last->conditions)
        (!asks_memory(c) && has(here->conditions, c) ? common : first).push_back(c);
      for (const Term& c : here->conditions)
        if (!has(common, c)) second.push_back(c);
    }
    if (common.empty()) {
      r.push_back(s);
      continue;
    }
    Block both = guarded(std::move(first), std::move(last->body));
    for (Stmt& x : guarded(std::move(second), here->body)) both.push_back(std::move(x));
    r.back() = {If{std::move(common), merged(both)}};
  }
  return r;
}

Block tighten(For f) {
  if (f.body.size() != 1 || !std::holds_alternative<If>(f.body[0].v)) return {{std::move(f)}};
  If guard = std::get<If>(f.body[0].v);
  Nat lower = f.lower, upper = f.upper;
  std::vector<Term> outside, inside;
  for (const Term& c : guard.conditions) {
    if (!mentions(c, f.var) && !asks_memory(c))  // the loop may change what memory says
      outside.push_back(c);
    else if (c->kind != TermKind::Compare || !narrow(c->conds[0], f.var, lower, upper))
      inside.push_back(c);
  }
  f.body = guarded(std::move(inside), std::move(guard.body));
  if (!(lower == f.lower) || !(upper == f.upper)) f = with_range(std::move(f), lower, upper);
  return guarded(std::move(outside), {{std::move(f)}});
}

}  // namespace

Block tighten_bounds(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    if (auto* i = std::get_if<If>(&s.v)) {
      std::vector<Term> conditions;
      for (const Term& c : i->conditions)
        if (!flatten(c, conditions)) return {};
      if (i->body.size() == 1)
        if (auto* inner = std::get_if<If>(&i->body[0].v)) {  // if a: if b  =  if a and b
          for (const Term& c : inner->conditions)
            if (!flatten(c, conditions)) return {};
          Block body = std::move(inner->body);
          i->body = std::move(body);
        }
      return guarded(std::move(conditions), merged(i->body));
    }
    if (auto* f = std::get_if<For>(&s.v)) {
      f->body = merged(f->body);
      return tighten(std::move(*f));
    }
    return {std::move(s)};
  });
}

Block at_index(const Block& body, const Nat& variable, const Nat& value) {
  return rebuild(substitute(body, variable, value), [](Stmt s) -> Block {
    auto* i = std::get_if<If>(&s.v);
    if (!i) return {std::move(s)};
    std::vector<Term> open;
    for (const Term& c : i->conditions)
      if (!flatten(c, open)) return {};
    return guarded(std::move(open), std::move(i->body));
  });
}

Block make_loop(For f, const Nat& lower, const Nat& upper) {
  const Nat trips = upper - lower;
  if (Facts().proves(less_equal(trips, 0))) return {};
  if (trips == Nat(1)) return at_index(f.body, f.var, lower);
  return {{with_range(std::move(f), lower, upper)}};
}

namespace {

/// Work-items need a group to be in, were it the only one.
bool is_only_group(const For& f) {
  const std::function<bool(const Stmt&)> items = [&](const Stmt& s) {
    const auto* l = std::get_if<For>(&s.v);
    const auto* i = std::get_if<If>(&s.v);
    if (l && (l->kind == LoopKind::Lcl || l->kind == LoopKind::Wrg)) return l->kind == LoopKind::Lcl;
    return (l && std::any_of(l->body.begin(), l->body.end(), items)) ||
           (i && std::any_of(i->body.begin(), i->body.end(), items));
  };
  return f.kind == LoopKind::Wrg && std::any_of(f.body.begin(), f.body.end(), items);
}

}  // namespace

Block remove_trivial_loops(const Block& b) {
  return distinct_names(rebuild(b, [](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f) return {std::move(s)};
    if (f->body.empty() || Facts().proves(less_equal(f->upper, f->lower))) return {};
    const Nat length = f->upper - f->lower;
    const bool once = length == Nat(1) || (length.is_constant() && f->step.is_constant() &&
                                           *length.constant() <= *f->step.constant());
    if (once && !is_only_group(*f)) return at_index(f->body, f->var, f->lower);
    return {std::move(s)};
  }));
}

namespace {

/// The guard modulo m in `conditions` that admits every m-th index of v: mod(v + e, m) == r. Gives s such
/// that the indices admitted are lower + s + m*ii.
std::optional<std::pair<std::size_t, Nat>> congruence(const std::vector<Term>& conditions, const For& f) {
  const Nat m = f.stride;
  for (std::size_t c = 0; c < conditions.size(); ++c) {
    if (conditions[c]->kind != TermKind::Compare || conditions[c]->conds[0].kind != NatCond::Kind::Zero)
      continue;
    const Nat& a = conditions[c]->conds[0].a;  // +-mod(x, m) + constant == 0
    if (terms(a).empty() || terms(a)[0].factors.size() != 1) continue;
    const NatAtom& atom = *terms(a)[0].factors[0].atom;
    const std::int64_t k = terms(a)[0].coefficient;
    const auto rest = (a - k * atom_nat(atom)).constant();
    if (atom.kind != AtomKind::Mod || !(atom.b == m) || !rest || (k != 1 && k != -1)) continue;
    const auto x = affine_in(atom.a, f.var);
    if (!x || !(x->coefficient == Nat(1))) continue;
    return std::make_pair(c, mod(Nat(-k * *rest) - x->rest - f.lower, m));
  }
  return std::nullopt;
}

/// The iterations lower + m*v + s alone.
For every_mth(For f, const Block& body, const Nat& s) {
  const Nat m = f.stride, trips = ceildiv(f.upper - f.lower - s, m);
  const Nat v = Nat::fresh(f.var.str() + f.var.str(), 0, trips - 1);
  f.body = substitute(body, f.var, f.lower + m * v + s);
  f.var = v, f.lower = 0, f.upper = trips, f.stride = 1;
  return f;
}

/// A guard modulo the stride leaves one loop; without one, there is a loop for each residue, one after the
/// other.
Block stride(const For& f) {
  if (const auto* guard = f.body.size() == 1 ? std::get_if<If>(&f.body[0].v) : nullptr)
    if (const auto found = congruence(guard->conditions, f)) {
      std::vector<Term> others = guard->conditions;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(found->first));
      return {{every_mth(f, guarded(std::move(others), guard->body), found->second)}};
    }
  if (f.kind != LoopKind::Seq && f.kind != LoopKind::Unroll && f.kind != LoopKind::Vec)
    throw UserError("strided " + std::to_string(f.stride) + ": the work-items of " + f.var.str() +
                    " have no guard of the form (" + f.var.str() + " + ...) mod " + std::to_string(f.stride) +
                    " == r around all that they do; leave out the stride");
  Block r;
  for (std::int64_t s = 0; s < f.stride; ++s) r.push_back({every_mth(f, f.body, s)});
  return r;
}

}  // namespace

Block stride_loops(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || f->stride == 1) return {std::move(s)};
    return stride(*f);
  });
}

}  // namespace lift
