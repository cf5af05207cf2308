// Parts of intermediate values that nothing reads: a stage or a scan may make more than its user asks for.
#include <set>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Names of arrays of the kernel's own that nothing loads from, and of values and variables that nothing
/// uses.
std::set<std::string> unread_names(const Block& b) {
  std::set<std::string> unread;
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) unread.insert(a->name);
    if (const auto* d = std::get_if<Declare>(&s.v)) unread.insert(d->local->name);
    const auto* l = std::get_if<Let>(&s.v);
    if (l && l->local->kind == TermKind::Local) unread.insert(l->local->name);
  });
  visit_terms(b, [&](const Term& x) {
    if (x->kind == TermKind::Load || x->kind == TermKind::Local) unread.erase(x->name);
  });
  return unread;
}

Block without(const Block& b, const std::set<std::string>& names) {
  return rebuild(b, [&](Stmt s) -> Block {
    const auto* f = std::get_if<For>(&s.v);
    const auto* i = std::get_if<If>(&s.v);
    bool gone = (f && f->body.empty()) || (i && i->body.empty());
    if (const auto* x = std::get_if<Allocate>(&s.v)) gone = names.count(x->name) > 0;
    if (const auto* x = std::get_if<Store>(&s.v)) gone = names.count(x->array) > 0;
    if (const auto* x = std::get_if<Declare>(&s.v)) gone = names.count(x->local->name) > 0;
    const auto* l = std::get_if<Let>(&s.v);
    if (l && l->local->kind == TermKind::Local) gone |= names.count(l->local->name) > 0;
    if (const auto* x = std::get_if<Assign>(&s.v)) gone = names.count(x->local->name) > 0;
    return gone ? Block{} : Block{std::move(s)};
  });
}

}  // namespace

Block eliminate_dead_code(const Block& b) {
  Block r = b;
  for (std::set<std::string> names = unread_names(r); !names.empty(); names = unread_names(r))
    r = without(r, names);
  return r;
}

}  // namespace lift
