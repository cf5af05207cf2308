// Stores bypass the cache where nothing reads soon what they store: not in stages that have come to share a
// loop with one that does.
#include <set>
#include <string>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

Block in_cache(const Block& b, const std::set<std::string>& arrays) {
  return rebuild(b, [&](Stmt s) -> Block {
    if (auto* x = std::get_if<Store>(&s.v); x && arrays.contains(x->array)) x->stream = false;
    return {std::move(s)};
  });
}

}  // namespace

Block keep_read_soon(const Block& b) {
  Block r = b;
  for (Stmt& s : r) {
    Block* body = body_of(s);
    if (!body) continue;
    if (const auto* f = std::get_if<For>(&s.v); !f || f->kind != LoopKind::Par) {
      *body = keep_read_soon(*body);
      continue;
    }
    std::set<std::string> loaded;
    visit(*body, [&](const Stmt& x) {
      visit_accesses(x, [&](const ElementAccess& a) {
        if (!a.store) loaded.insert(a.array);
      });
    });
    *body = in_cache(*body, loaded);
  }
  return r;
}

}  // namespace lift
