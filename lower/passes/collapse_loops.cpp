// Which loops threads share: of loops of kind Par within each other, the outermost and those that are one
// space of iterations with it.
#include "lower/analyses/together.hpp"
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

// ---- what a loop does

constexpr double kUnknown = 1e18;
constexpr double kOfFunction = 20;  ///< an exponential, a division

double work_of(const Term& t) {
  double work = 0;
  visit(t, [&](const Term& x) {
    if (x->kind == TermKind::Load) work += 1;
    if (x->kind == TermKind::Call) work += kOfFunction;
    if (x->kind != TermKind::Apply) return;
    const bool arithmetic = x->op != Op::Div && x->op != Op::Mod && x->op != Op::Sqrt &&
                            (x->op < Op::Cbrt || x->op > Op::Erf) && x->op != Op::Pow && x->op != Op::Atan2 &&
                            x->op != Op::Hypot;
    work += arithmetic ? 1 : kOfFunction;
  });
  return work;
}

double work_of(const Block& b);
double work_of(const Stmt& s) {
  if (const auto* f = std::get_if<For>(&s.v)) {
    const auto trips = (f->upper - f->lower).constant();
    const auto step = f->step.constant();
    return trips && step ? static_cast<double>(*trips) / static_cast<double>(*step) * work_of(f->body)
                         : kUnknown;
  }
  if (const auto* x = std::get_if<Store>(&s.v)) return 1 + work_of(x->value);
  if (const auto* x = std::get_if<lift::Let>(&s.v)) return work_of(x->value);
  if (const auto* x = std::get_if<Declare>(&s.v)) return work_of(x->value);
  if (const auto* x = std::get_if<Assign>(&s.v)) return work_of(x->value);
  const Block* body = body_of(s);
  return body ? work_of(*body) : 0;
}
double work_of(const Block& b) {
  double work = 0;
  for (const Stmt& s : b) work += work_of(s);
  return work;
}

/// How many of the loops that threads could share are worth it by themselves, and how many are not.
struct Shared {
  int large = 0, small = 0;
};
void count(const Block& b, double least, Shared& n) {
  for (const Stmt& s : b) {
    const auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Par)
      ++(work_of(s) < least ? n.small : n.large);
    else if (const Block* body = body_of(s))
      count(*body, least, n);
  }
}
/// Where threads stay for the large loops, they share the small ones beside them at the cost of a barrier.
bool shares_small_ones(const For& f, double least) {
  Shared n;
  if (may_go_together(f)) count(f.body, least, n);
  return n.large > 0 && n.small <= n.large;
}

Block collapsed(const Block& b, double least) {
  Block r = b;
  for (Stmt& s : r) {
    Block* body = body_of(s);
    auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Par) {
      if (work_of(s) < least)
        s = of_one_thread({s}).at(0);
      else
        f->collapse = depth_of(*f), f->body = of_one_thread(f->body);
    } else if (body) {
      *body = collapsed(*body, f && (f->team || f->doacross || shares_small_ones(*f, least)) ? 0 : least);
    }
  }
  return r;
}

}  // namespace

Block collapse_loops(const Block& b, const Kernel& k) {
  return collapsed(b, static_cast<double>(k.least_shared));
}

}  // namespace lift
