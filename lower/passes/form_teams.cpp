// Which loops all threads go through together, with a barrier at the end of each iteration, or after each
// loop that they share.
#include "lower/analyses/together.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Outside of loops that threads share, each of them would do it.
bool does_once(const Block& b) {
  return std::any_of(b.begin(), b.end(), [](const Stmt& s) {
    if (is_shared_loop(s)) return false;
    const Block* body = body_of(s);
    return std::holds_alternative<Store>(s.v) || std::holds_alternative<Assign>(s.v) ||
           std::holds_alternative<Allocate>(s.v) || (body && does_once(*body));
  });
}

Block with_barriers(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    if (is_shared_loop(s)) return {std::move(s), {Barrier{true}}};
    return {std::move(s)};
  });
}

Block teams(const Block& b, bool inside) {
  Block r = b;
  for (Stmt& s : r) {
    Block* body = body_of(s);
    if (!body) continue;
    auto* f = std::get_if<For>(&s.v);
    if (f && !inside && may_go_together(*f)) {
      f->team = true, *body = with_barriers(*body);
      continue;
    }
    if (f) f->team = f->team && !inside && holds(*body, is_shared_loop) && !does_once(*body);
    *body = teams(*body, inside || is_shared_loop(s) || (f && f->team));
    if (f && f->team) body->push_back({Barrier{true}});
  }
  return r;
}

}  // namespace

Block form_teams(const Block& b) { return teams(b, false); }

}  // namespace lift
