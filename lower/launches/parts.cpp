#include "lower/launches/parts.hpp"

#include <algorithm>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

void add(Uses& u, const Stmt& s) {
  const Block one{s};
  visit_nats(one, [&](const Nat& n, bool) {
    for (const NatAtom* a : variables(n))
      if (!a->computed) u.indices.insert(a);
  });
  visit_terms(one, [&](const Term& t) {
    if (t->kind == TermKind::Local) u.locals.insert(t->name);
    if (t->kind == TermKind::Load) u.loads.insert(t->name);
  });
  visit(one, [&](const Stmt& x) {
    if (const auto* a = std::get_if<Store>(&x.v)) u.stores.insert(a->array);
    if (const auto* a = std::get_if<Declare>(&x.v)) u.assigned.insert(a->local->name);
    if (const auto* a = std::get_if<Assign>(&x.v))
      u.assigned.insert(a->local->name), u.locals.insert(a->local->name);
    if (const auto* a = std::get_if<Prefetch>(&x.v)) u.loads.insert(a->array);
  });
}

}  // namespace

Uses uses_of(const Stmt& s) {
  Uses u;
  add(u, s);
  return u;
}
bool touches(const Uses& u, const std::string& array) {
  return u.loads.count(array) + u.stores.count(array) > 0;
}

bool is_over_groups(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && (f->kind == LoopKind::Glb || f->kind == LoopKind::Wrg);
}
bool is_host_loop(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && f->kind == LoopKind::Host;
}
bool holds_grid(const Stmt& s) {
  return holds({s}, [](const Stmt& x) { return is_over_groups(x) || is_host_loop(x); });
}
bool holds_host_loop(const Block& b) { return holds(b, is_host_loop); }

namespace {

/// Loops over the items of a group that the statement itself is in: its group's statements stay together.
bool holds_items(const Stmt& s) {
  if (is_over_groups(s)) return false;
  const auto* f = std::get_if<For>(&s.v);
  const auto* i = std::get_if<If>(&s.v);
  if (f && f->kind == LoopKind::Lcl) return true;
  const Block none, &body = f ? f->body : i ? i->body : none;
  return std::any_of(body.begin(), body.end(), holds_items);
}

}  // namespace

std::vector<int> launches_of(const Block& b) {
  std::vector<int> r;
  int before = 0;
  const bool one_group = std::any_of(b.begin(), b.end(), holds_items);
  for (const Stmt& s : b) {
    if (one_group)
      r.push_back(0);
    else if (std::holds_alternative<Let>(s.v) || std::holds_alternative<Allocate>(s.v))
      r.push_back(kWhereUsed);
    else if (holds_grid(s))
      r.push_back(before + 1), before += 2;
    else
      r.push_back(before);
  }
  return r;
}
std::vector<int> distinct(std::vector<int> launch) {
  std::sort(launch.begin(), launch.end());
  launch.erase(std::unique(launch.begin(), launch.end()), launch.end());
  std::erase(launch, kWhereUsed);
  return launch;
}

Part part_of(const Block& b, const std::vector<int>& launch, int which) {
  Part p{std::vector<bool>(b.size(), false), {}};
  Uses wanted;
  for (std::size_t i = b.size(); i-- > 0;) {
    const Stmt& s = b[i];
    if (launch[i] == which) {
      p.takes[i] = true;
      if (const auto* d = std::get_if<Declare>(&s.v)) wanted.locals.erase(d->local->name);
      add(wanted, s);
    } else if (const auto* l = std::get_if<Let>(&s.v); l && launch[i] == kWhereUsed) {
      const bool index = l->local->kind == TermKind::Index;
      p.takes[i] = index ? wanted.indices.erase(variables(l->local->nats[0])[0]) > 0
                         : wanted.locals.erase(l->local->name) > 0;
      if (p.takes[i]) add(wanted, s);
    } else if (const auto* a = std::get_if<Allocate>(&s.v); a && launch[i] == kWhereUsed) {
      p.takes[i] = touches(wanted, a->name);
    } else if (const auto* d = std::get_if<Declare>(&s.v); d && wanted.locals.erase(d->local->name) > 0) {
      p.missing.insert(d->local->name);
    }
  }
  return p;
}
Block statements(const Block& b, const Part& p) {
  Block r;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (p.takes[i]) r.push_back(b[i]);
  return r;
}

Block taken_out(Block& b, std::vector<int>& launch) {
  const auto crosses = [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    std::set<int> users;
    for (std::size_t i = 0; a && a->space != AddressSpace::Local && i < b.size(); ++i)
      if (touches(uses_of(b[i]), a->name)) users.insert(launch[i]);
    return users.size() > 1;
  };
  Block r, kept;
  for (const Stmt& s : b) (crosses(s) ? r : kept).push_back(s);
  b = std::move(kept), launch = launches_of(b);
  return r;
}

}  // namespace lift
