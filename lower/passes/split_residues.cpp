// Loops whose body asks which residue the index has, as where arrays are interleaved: several elements an
// iteration, each of which is known to have its own, so that nothing is asked and vectors can be made.
#include <algorithm>
#include <numeric>

#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::int64_t kMostResidues = 4;
constexpr std::int64_t kLargestStride = 2;  ///< of what vectors store; of more residues they are masked
constexpr std::size_t kMostCopied = 64;     ///< statements

/// Calls f with every remainder and quotient of k*v + r by m that a number has, k and m constants.
void visit_divisions(const Nat& n, const Nat& v,
                     const std::function<void(std::int64_t k, std::int64_t m)>& f) {
  for (const NatTerm& t : terms(n))
    for (const NatFactor& x : t.factors) {
      const NatAtom& a = *x.atom;
      if (a.kind == AtomKind::Var || !mentions(atom_nat(a), v)) continue;
      const bool divides = a.kind == AtomKind::Mod || a.kind == AtomKind::FloorDiv;
      const auto line = divides ? affine_in(a.a, v) : std::nullopt;
      if (line && line->coefficient.is_constant() && a.b.is_constant())
        f(*line->coefficient.constant(), *a.b.constant());
      visit_divisions(a.a, v, f), visit_divisions(a.b, v, f);
    }
}

/// So many elements have each residue once that is asked for; 1: none is. Conditions ask, and positions in
/// loops over vectors, whose lanes would lie in one element.
std::int64_t residues_asked(const For& f) {
  std::int64_t all = 1;
  const auto ask = [&](const Nat& n) {
    visit_divisions(n, f.var, [&](std::int64_t k, std::int64_t m) {
      if (m > 1 && all <= kMostResidues) all = std::lcm(all, m / std::gcd(k, m));
    });
  };
  visit_terms(f.body, [&](const Term& x) {
    if (x->kind == TermKind::Compare) ask(x->conds[0].a);
    if (x->kind == TermKind::Load && f.kind == LoopKind::Vec)
      for (const Nat& n : x->nats) ask(n);
  });
  return all;
}

bool has_guards(const Block& b) {
  return holds(b, [](const Stmt& s) {
    return std::holds_alternative<If>(s.v) || std::holds_alternative<Allocate>(s.v);
  });
}

/// The loop, of `each` elements an iteration, and the elements that are left; nothing where a residue stays
/// unknown.
std::optional<Block> split(const For& f, std::int64_t each) {
  const Nat trips = floordiv(f.upper - f.lower, each);
  if (!Facts().proves(less(0, trips))) return std::nullopt;
  For some = f;
  some.var = Nat::fresh(f.var.str(), 0, trips - 1);
  some.lower = 0, some.upper = trips, some.late_store = false;
  some.body.clear();
  for (std::int64_t s = 0; s < each; ++s)
    for (Stmt& copy : at_index(f.body, f.var, f.lower + each * some.var + s))
      some.body.push_back(std::move(copy));
  if (residues_asked(some) > 1) return std::nullopt;
  Block r = split_boundaries({{std::move(some)}});  // those of quotients can be seen now
  For rest = f;
  rest.late_store = false;
  for (Stmt& left : make_loop(rest, f.lower + each * trips, f.upper)) r.push_back(std::move(left));
  return r;
}

}  // namespace

Block split_residues(const Block& b) {
  return distinct_names(rebuild(b, [&](Stmt s) -> Block {
    const auto* f = std::get_if<For>(&s.v);
    if (!f || (f->kind != LoopKind::Seq && f->kind != LoopKind::Vec) || f->stride != 1 || f->edge ||
        !(f->step == Nat(1)) || has_loop(f->body) || has_guards(f->body))
      return {std::move(s)};
    const std::int64_t each = residues_asked(*f);
    std::size_t statements = 0;
    visit(f->body, [&](const Stmt&) { ++statements; });
    const std::int64_t most = f->kind == LoopKind::Vec ? kLargestStride : kMostResidues;
    if (each < 2 || each > most || each * statements > kMostCopied) return {std::move(s)};
    if (auto pieces = split(*f, each)) return std::move(*pieces);
    return {std::move(s)};
  }));
}

}  // namespace lift
