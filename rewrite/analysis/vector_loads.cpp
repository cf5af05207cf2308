#include "rewrite/analysis/vector_loads.hpp"

#include "ir/error.hpp"

namespace lift {
namespace {

/// Whether several neighbouring cells have one element of a row, as i / 2 says.
bool divides(const Nat& n, const Nat& cell) {
  for (const NatTerm& t : terms(n))
    for (std::size_t i = 0; i < t.factors.size(); ++i) {
      const NatAtom& atom = *t.factors[i].atom;
      if (atom.kind == AtomKind::Var || !mentions(atom.alone, cell)) continue;
      if (atom.kind == AtomKind::FloorDiv || divides(atom.a, cell) || divides(atom.b, cell)) return true;
    }
  return false;
}

bool loads_vectors(const std::vector<Nat>& position, const Nat& innermost, const Nat& cell,
                   const Nat& block) {
  for (Nat r = 0; !(r == block); r = r + 1)
    for (std::size_t d = 0; d < position.size(); ++d) {
      const Nat at = simplify(substitute(position[d], innermost, block * cell + r));
      const auto a = affine_in(at, cell);
      if (!a && divides(at, cell)) return false;
      if (!a) continue;
      const auto stride = a->coefficient.constant();
      if (!stride || *stride < 0 || *stride > (d + 1 == position.size() ? 2 : 0)) return false;
    }
  return true;
}

}  // namespace

namespace {
bool loads_vectors_at(const Footprint& print, const Nat& cell, const Nat& block) {
  for (const auto& [array, reads] : print.reads)
    for (const auto& p : reads.positions)
      if (!loads_vectors(p, print.index.back(), cell, block)) return false;
  return true;
}

/// Whether a loop over pairs (lower/passes/split_residues.cpp) loads vectors, away from boundaries.
bool loads_pairs(const Footprint& print, const Nat& cells) {
  const Nat quarter = floordiv(cells, 8);
  return loads_vectors_at(print, Nat::fresh("cell", quarter, max(quarter, 3 * quarter)), 2);
}
}  // namespace

bool loads_vectors(const Footprint& print, const Nat& cells, const Nat& block) {
  if (loads_vectors_at(print, Nat::fresh("cell", 0, cells - 1), block)) return true;
  return block == Nat(1) && loads_pairs(print, cells);
}

/// An element of an iteration's result is made of all elements that its steps read: exponentially many. What
/// is known of iterations is known of their steps.
bool loads_vectors(const Program& program) {
  if (contains(program.body, [](const Expr& e) { return e.is(Op::Iterate) && e.type().has_arrays(); }))
    return true;
  try {
    const Footprint print = footprint(program);
    if (print.index.empty()) return true;
    return loads_vectors(print, shape_of(results_of(program).front().type).back(), 1);
  } catch (const UserError&) {
    return true;
  }
}

}  // namespace lift
