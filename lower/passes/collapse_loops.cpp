// Which loops threads share: of loops of kind Par within each other, the outermost and those that are one
// space of iterations with it.
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

const For* only_parallel_loop(const Block& b) {
  const auto* f = b.size() == 1 ? std::get_if<For>(&b[0].v) : nullptr;
  return f && f->kind == LoopKind::Par ? f : nullptr;
}

/// Perfectly nested loops, the outermost first, whose bounds do not depend on each other.
int depth_of(const For& f) {
  std::vector<Nat> outer{f.var};
  for (const For* next = only_parallel_loop(f.body); next; next = only_parallel_loop(next->body)) {
    for (const Nat& v : outer)
      if (mentions(next->lower, v) || mentions(next->upper, v)) return static_cast<int>(outer.size());
    outer.push_back(next->var);
  }
  return static_cast<int>(outer.size());
}

Block of_one_thread(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    if (auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Par)
      f->kind = LoopKind::Seq, f->width = 1, f->dynamic = 0;
    return {std::move(s)};
  });
}

}  // namespace

Block collapse_loops(const Block& b) {
  Block r = b;
  for (Stmt& s : r) {
    Block* body = body_of(s);
    auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Par)
      f->collapse = depth_of(*f), f->body = of_one_thread(f->body);
    else if (body)
      *body = collapse_loops(*body);
  }
  return r;
}

}  // namespace lift
