// Streaming stores are not ordered with others: what a thread has stored so is done before it meets the
// others at the end of a parallel loop, before one that waits for it goes on, and before the kernel returns.
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

/// Single elements are stored as any others are.
bool streams(const Stmt& s) {
  const auto* x = std::get_if<Store>(&s.v);
  return x && x->stream && x->value->width > 1;
}

/// Elements that are stored so, where loops have a known number of iterations; else as many as of a long one.
std::int64_t streamed(const Block& b) {
  constexpr std::int64_t kLong = 1024;
  std::int64_t n = 0;
  for (const Stmt& s : b) {
    if (streams(s)) n += std::get<Store>(s.v).value->width;
    const auto* f = std::get_if<For>(&s.v);
    const auto trips = f ? ceildiv(f->upper - f->lower, f->step).constant() : std::nullopt;
    if (const Block* body = body_of(s)) n += streamed(*body) * (f ? trips.value_or(kLong) : 1);
  }
  return n;
}

void store_as_any(Block& b) {
  for (Stmt& s : b) {
    if (auto* x = std::get_if<Store>(&s.v)) x->stream = false;
    if (Block* body = body_of(s)) store_as_any(*body);
  }
}

/// A fence takes as long as some lines to memory: for less than that, stores are ordinary ones.
constexpr std::int64_t kWorthFence = 256;

/// At the end of each iteration of the loops that threads share, or after which others go on.
void fence_iterations(For& f) {
  Block* body = &f.body;
  for (int d = 1; d < f.collapse; ++d) body = body_of(body->at(0));
  body->push_back({Fence{}});
}

bool fence_loops(Block& b) {
  bool outside = false;
  for (Stmt& s : b) {
    auto* f = std::get_if<For>(&s.v);
    outside |= streams(s);
    if (f && (f->kind == LoopKind::Par || f->waits)) {
      if (!holds(f->body, streams)) continue;
      if (!f->waits && streamed(f->body) < kWorthFence)
        store_as_any(f->body);
      else
        fence_iterations(*f);
    } else if (Block* body = body_of(s)) {
      outside |= fence_loops(*body);
    }
  }
  return outside;
}

}  // namespace

Block fence_streams(const Block& b) {
  Block r = b;
  if (fence_loops(r)) r.push_back({Fence{}});
  return r;
}

}  // namespace lift
