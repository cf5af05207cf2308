#include "lower/analyses/together.hpp"

#include <set>

#include "lower/loops/visit.hpp"

namespace lift {
namespace {

void add_stored(const Block& b, std::set<std::string>& arrays) {
  for (const Stmt& s : b) {
    visit_accesses(s, [&](const ElementAccess& a) {
      if (a.store) arrays.insert(a.array);
    });
    if (const Block* body = body_of(s)) add_stored(*body, arrays);
  }
}

/// What each thread does beside the shared loops.
bool may_be_repeated(const Block& b, const std::set<std::string>& stored) {
  return std::all_of(b.begin(), b.end(), [&](const Stmt& s) {
    if (is_shared_loop(s)) return true;
    const auto* f = std::get_if<For>(&s.v);
    const bool plain = std::holds_alternative<Let>(s.v) || std::holds_alternative<If>(s.v) ||
                       (f && f->kind == LoopKind::Seq && !f->is_scheduled() && !f->rotate);
    bool reads = false;
    visit_accesses(s, [&](const ElementAccess& a) { reads = reads || stored.contains(a.array); });
    const Block* body = body_of(s);
    return plain && !reads && (!body || may_be_repeated(*body, stored));
  });
}

}  // namespace

bool is_shared_loop(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && f->kind == LoopKind::Par;
}

bool may_go_together(const For& f) {
  if (f.kind != LoopKind::Seq || f.is_scheduled() || f.rotate || !holds(f.body, is_shared_loop)) return false;
  std::set<std::string> stored;
  add_stored(f.body, stored);
  return may_be_repeated(f.body, stored);
}

}  // namespace lift
