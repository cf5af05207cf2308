// What the files of Nat share: making atoms and polynomials without simplification.
#pragma once

#include "ir/nat/nat.hpp"

namespace lift::detail {

/// The quotient rounded down, and what is left, for b > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return a - b * floor_div(a, b); }

/// floordiv, mod, min or max of a and b as an atom, unsimplified.
Nat compound(AtomKind kind, const Nat& a, const Nat& b);
/// The polynomial with these terms, which must be in canonical order.
Nat from_terms(std::vector<NatTerm> terms);
/// The sum of terms in any order, also of several with the same factors.
Nat sum_of(std::vector<NatTerm> terms);
/// One power of an atom less, which is among the factors.
NatMonomial without_one(const NatMonomial& m, const NatAtom* atom);
/// The residue of n modulo m where the congruences of variables decide it.
std::optional<std::int64_t> residue(const Nat& n, std::int64_t m);
/// n with every atom for which `replace` gives a value replaced (outermost first), and rebuilt above it.
Nat rebuild(const Nat& n, const std::function<std::optional<Nat>(const NatAtom&)>& replace);

// The operators under what is known on a path.
Nat floordiv_with(const Nat& a, const Nat& b, const Facts& facts);
Nat mod_with(const Nat& a, const Nat& b, const Facts& facts);
Nat extremum(AtomKind kind, const Nat& a, const Nat& b, const Facts& facts);  ///< Min or Max

}  // namespace lift::detail
