#include "lower/launches/distribute.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "lower/analyses/shared_accesses.hpp"
#include "lower/launches/parts.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

/// Values that the work-items of a loop keep in the body are lost when the loop becomes several.
void check_kept(const Block& b, const std::vector<int>& launch) {
  const auto refuse = [](const std::string& name) {
    throw UserError("work-items keep " + name +
                    " while loops over the grid follow one another: that takes as many kernels; store the "
                    "value (to_global), or run the inner loops in the work-item");
  };
  std::set<std::string> seen;
  for (const int which : distinct(launch)) {
    const Part p = part_of(b, launch, which);
    if (!p.missing.empty()) refuse(*p.missing.begin());
    for (std::size_t i = 0; i < b.size(); ++i)
      if (const auto* a = std::get_if<Allocate>(&b[i].v); a && p.takes[i] && !seen.insert(a->name).second)
        refuse(a->name);
  }
}

/// What is loaded once for all loops over the grid in a body, by a name or a condition around it, and then
/// stored to by their items, would be another number for an item that comes later, and for the next launch.
void check_loaded(const Block& b, const std::vector<Term>& conditions) {
  std::set<std::string> stored;
  for (const Stmt& s : b)
    if (holds_grid(s)) stored.merge(uses_of(s).stores);
  std::vector<Term> loaded = conditions;
  for (const Stmt& s : b)
    if (const auto* l = std::get_if<Let>(&s.v)) loaded.push_back(l->value);
  for (const Term& t : loaded)
    for (const std::string& array : stored)
      if (loads(t, array))
        throw UserError("work-items store to " + array +
                        ", of which an element has been loaded for all of them before: store it (to_global) "
                        "in a loop over the grid of its own, or run the inner loops in the work-item");
}

/// The loop is the host's: launches follow one another from one iteration to the next, too.
Block by_host(For f) {
  const auto refuse = [&](const std::string& what) {
    throw UserError("several loops over the grid in the loop over " + f.var.str() + ", " + what);
  };
  if (f.kind != LoopKind::Seq) refuse(std::string("which is ") + text(f.kind) + "; give it to the grid too");
  std::set<std::string> own;
  visit(f.body, [&](const Stmt& s) {
    if (const auto* d = std::get_if<Declare>(&s.v)) own.insert(d->local->name);
  });
  visit(f.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Assign>(&s.v); a && own.count(a->local->name) == 0)
      refuse("each iteration of which hands " + a->local->name +
             " to the next: that takes as many kernels; store the value (to_global)");
  });
  std::vector<int> launch = launches_of(f.body);
  Block r = taken_out(f.body, launch);
  For loop;
  loop.kind = LoopKind::Host;
  loop.var = f.var, loop.lower = f.lower, loop.upper = f.upper, loop.step = f.step;
  loop.body = std::move(f.body);
  r.push_back({std::move(loop)});
  return r;
}

/// A condition around a loop of the host's is one within it.
Block asked_within(const If& i, Positions positions) {
  Block r;
  For loop;
  for (const Stmt& s : i.body) {
    if (is_host_loop(s))
      loop = std::get<For>(s.v);
    else
      r.push_back(s);
  }
  r.insert(r.end(), loop.body.begin(), loop.body.end());
  loop.body = {{If{i.conditions, std::move(r)}}};
  return distributed(Block{{std::move(loop)}}, positions);
}

Block distributed(Stmt s, Positions positions) {
  auto* f = std::get_if<For>(&s.v);
  auto* i = std::get_if<If>(&s.v);
  Block& body = f ? f->body : i->body;
  body = distributed(body, positions);
  if (is_host_loop(s)) return {std::move(s)};
  check_loaded(body, i ? i->conditions : std::vector<Term>{});
  std::vector<int> launch = launches_of(body);
  const bool several = distinct(launch).size() > 1, within = holds_host_loop(body);
  if (f && is_over_groups(s) && within)
    throw UserError("a loop of launches within the loop over " + f->var.str() +
                    ", which is over the grid; give only the loops within to the grid");
  if (f && !is_over_groups(s) && (within || !(f->upper - f->lower == Nat(1))) &&
      (several || within || (positions == Positions::Logical && crosses_items(*f))))
    return by_host(std::move(*f));
  if (i && within && !several) return asked_within(*i, positions);
  if (!several) return {std::move(s)};
  Block r;
  if (!is_over_groups(s)) r = taken_out(body, launch);
  check_kept(body, launch);
  for (const int which : distinct(launch)) {
    Block part = statements(body, part_of(body, launch, which));
    if (f) {
      For loop = *f;
      loop.body = std::move(part);
      r.push_back({std::move(loop)});
    } else if (holds_host_loop(part)) {
      for (Stmt& x : asked_within({i->conditions, std::move(part)}, positions)) r.push_back(std::move(x));
    } else {
      r.push_back({If{i->conditions, std::move(part)}});
    }
  }
  return r;
}

}  // namespace

Block distributed(const Block& b, Positions positions) {
  Block r;
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    const bool around = (f || std::holds_alternative<If>(s.v)) && holds_grid(s);
    const Block parts = around ? distributed(Stmt(s), positions) : Block{s};
    r.insert(r.end(), parts.begin(), parts.end());
  }
  return r;
}

}  // namespace lift
