#include <algorithm>

#include "lower/passes.hpp"

namespace lift {
namespace {

bool innermost(const For& f) {
  bool found = true;
  visit(f.body, [&](const Stmt& s) { found &= !std::holds_alternative<For>(s.v); });
  return found;
}

/// Where the sign of an affine a(v) = k*v + r changes: the first v on its other side.
std::optional<Nat> sign_change(const Nat& a, const Nat& v) {
  const auto x = affine_in(a, v);
  const auto k = x ? x->coefficient.constant() : std::nullopt;
  if (!k || *k == 0) return std::nullopt;
  return *k > 0 ? ceildiv(-x->rest, *k)             // k*v + r >= 0 from there on
                : floordiv(x->rest, -*k) + 1;       // r - |k|*v >= 0 up to the one before
}

struct Breaks {
  const For& f;
  std::vector<Nat> at = {};
  void add(const Nat& a) {
    const auto p = sign_change(a, f.var);
    if (!p || std::find(at.begin(), at.end(), *p) != at.end()) return;
    if (Facts().proves(less_equal(*p, f.lower)) || Facts().proves(less_equal(f.upper, *p))) return;
    at.push_back(*p);
  }
  void scan(const Nat& n) {
    for (const NatTerm& t : terms(n))
      for (const NatFactor& x : t.factors) {
        const NatAtom& a = *x.atom;
        if (a.kind == AtomKind::Var || !mentions(atom_nat(a), f.var)) continue;
        if (a.kind == AtomKind::Min || a.kind == AtomKind::Max) add(a.a - a.b);
        const bool wraps = Facts().proves_nonnegative(a.a + a.b) && Facts().proves(less(a.a, 2 * a.b));  // once at most, on each side
        if ((a.kind == AtomKind::Mod || a.kind == AtomKind::FloorDiv) && wraps) add(a.a), add(a.a - a.b);
        scan(a.a), scan(a.b);
      }
  }
};

}  // namespace

Block split_boundaries(const Block& b) {
  return rebuild(b, [](Stmt s) -> Block {
    auto* f = std::get_if<For>(&s.v);
    if (!f || !innermost(*f) || f->kind >= LoopKind::Glb) return {std::move(s)};
    Breaks breaks{*f};
    map_nats(f->body, [&](const Nat& n) {
      breaks.scan(n);
      return n;
    });
    map_terms(f->body, [&](const Term& t) {
      visit(t, [&](const Term& x) {
        if (x->kind == TermKind::Compare && x->conds[0].kind == NatCond::Kind::NonNegative) breaks.add(x->conds[0].a);
      });
      return t;
    });
    if (breaks.at.empty()) return {std::move(s)};
    // The pieces must lie in a provable order; a point whose order is open is left out.
    std::vector<Nat> order;
    for (const Nat& p : breaks.at) {
      const bool comparable = std::all_of(order.begin(), order.end(), [&](const Nat& q) { return Facts().proves(less(p, q)) || Facts().proves(less(q, p)); });
      if (comparable) order.push_back(p);
    }
    std::sort(order.begin(), order.end(), [](const Nat& p, const Nat& q) { return !(p == q) && Facts().proves(less(p, q)); });
    for (Nat& p : order) p = min(max(p, f->lower), f->upper);  // in a tile, it may lie outside the loop: a piece is empty then
    order.insert(order.begin(), f->lower), order.push_back(f->upper);
    Block pieces;
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      for (Stmt& piece : make_loop(*f, order[i], order[i + 1])) pieces.push_back(std::move(piece));
    return pieces;
  });
}

}  // namespace lift
