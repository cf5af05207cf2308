// Components of intermediate values that nothing reads: a stage may return more than its user asks for.
#include <set>

#include "lower/passes.hpp"

namespace lift {
namespace {

std::set<std::string> unread_arrays(const Block& b) {
  std::set<std::string> unread;
  visit(b, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) unread.insert(a->name);
  });
  map_terms(b, [&](const Term& t) {
    visit(t, [&](const Term& x) {
      if (x->kind == TermKind::Load) unread.erase(x->name);
    });
    return t;
  });
  return unread;
}

Block without(const Block& b, const std::set<std::string>& arrays) {
  return rebuild(b, [&](Stmt s) -> Block {
    const auto* a = std::get_if<Allocate>(&s.v);
    const auto* x = std::get_if<Store>(&s.v);
    const auto* f = std::get_if<For>(&s.v);
    const auto* i = std::get_if<If>(&s.v);
    const bool gone = (a && arrays.count(a->name)) || (x && arrays.count(x->array)) || (f && f->body.empty()) || (i && i->body.empty());
    return gone ? Block{} : Block{std::move(s)};
  });
}

}  // namespace

Block drop_unread_arrays(const Block& b) {
  Block r = b;
  for (std::set<std::string> arrays = unread_arrays(r); !arrays.empty(); arrays = unread_arrays(r)) r = without(r, arrays);
  return r;
}

}  // namespace lift
