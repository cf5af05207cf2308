// Which loops threads take in turns, each waiting for the thread of the iteration before it.
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

bool waits(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && f->waits;
}

/// One loop that waits, and around it nothing but names of values, and arrays of each iteration's own.
bool is_one_loop_that_waits(const Block& b) {
  std::size_t loops = 0;
  for (const Stmt& s : b)
    if (waits(s))
      ++loops;
    else if (!std::holds_alternative<Let>(s.v) && !std::holds_alternative<Allocate>(s.v))
      return false;
  return loops == 1;
}

/// What a thread does by itself.
Block alone(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v)) {
      f->team = f->doacross = f->waits = false;
      if (f->kind == LoopKind::Par) f->kind = LoopKind::Seq, f->collapse = 1;
    }
    return {std::move(s)};
  });
}

Block in_turns(const Block& b, bool inside) {
  Block r = b;
  for (Stmt& s : r) {
    Block* body = body_of(s);
    if (!body) continue;
    auto* f = std::get_if<For>(&s.v);
    if (f && f->doacross && !inside && f->step == Nat(1) && is_one_loop_that_waits(*body)) {
      for (Stmt& within : *body)
        if (waits(within)) {
          auto& steps = std::get<For>(within.v);
          steps.body = alone(steps.body);
        }
      continue;
    }
    if (f) f->doacross = f->waits = false;
    *body = in_turns(*body, inside || (f && f->kind == LoopKind::Par) || (f && f->team));
  }
  return r;
}

}  // namespace

Block form_doacross(const Block& b) { return in_turns(b, false); }

}  // namespace lift
