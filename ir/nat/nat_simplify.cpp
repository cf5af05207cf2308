// Construction-time simplification of floordiv, mod, min and max, under what is known.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ir/nat/nat_atoms.hpp"

namespace lift {
namespace {

using detail::floor_div, detail::floor_mod;

Nat monomial(const NatTerm& t) { return detail::from_terms({t}); }

/// The quotient of two monomials, when it is one.
std::optional<Nat> quotient(const NatTerm& t, const NatTerm& d) {
  if (d.coefficient == 0 || t.coefficient % d.coefficient != 0) return std::nullopt;
  Nat q = t.coefficient / d.coefficient;
  std::size_t found = 0;
  for (const NatFactor& f : t.factors) {
    int power = f.power;
    for (const NatFactor& g : d.factors)
      if (g.atom == f.atom) power -= g.power, ++found;
    if (power < 0) return std::nullopt;
    for (int p = 0; p < power; ++p) q = q * atom_nat(*f.atom);
  }
  return found == d.factors.size() ? std::optional(q) : std::nullopt;
}

struct Division {
  Nat quotient, rest;
};

/// a = b*q + r with as much as possible moved to q without knowing ranges: multiples of b, and the constant's
/// share.
Division divide(const Nat& a, const Nat& b) {
  Division d{0, a};
  if (const auto m = b.constant()) {
    for (const NatTerm& t : terms(a)) {
      // Truncated for variables, so that their sign stays; Euclidean for the constant.
      const std::int64_t q = t.factors.empty() ? floor_div(t.coefficient, *m) : t.coefficient / *m;
      if (q == 0) continue;
      NatTerm pulled = t;
      pulled.coefficient = q;
      d.quotient = d.quotient + monomial(pulled);
    }
    d.rest = a - b * d.quotient;
    return d;
  }
  const NatTerm lead = terms(b)[0];
  for (bool again = true; again;) {
    again = false;
    for (const NatTerm& t : terms(d.rest)) {
      const auto q = quotient(t, lead);
      if (!q) continue;
      const Nat rest = d.rest - *q * b;
      if (terms(rest).size() >= terms(d.rest).size()) continue;
      d.quotient = d.quotient + *q, d.rest = rest;
      again = true;
      break;
    }
  }
  return d;
}

}  // namespace

std::optional<std::int64_t> detail::residue(const Nat& n, std::int64_t m) {
  std::int64_t sum = 0;
  for (const NatTerm& t : terms(n)) {
    std::int64_t product = floor_mod(t.coefficient, m);
    for (const NatFactor& f : t.factors) {
      if (product == 0) break;
      const NatAtom& a = *f.atom;
      if (a.kind != AtomKind::Var || a.modulus % m != 0) {
        // A coefficient that shares a factor with m may still kill what is not known.
        return std::nullopt;
      }
      for (int p = 0; p < f.power; ++p) product = floor_mod(product * a.residue, m);
    }
    sum = floor_mod(sum + product, m);
  }
  return sum;
}

namespace {

/// r = c*s + d with constants c, d and an s that has two values only: {s, lo}.
struct TwoValued {
  Nat s;
  std::int64_t c, lo, d;
};
std::optional<TwoValued> two_valued(const Nat& r, const Facts& facts) {
  const auto ts = terms(r);
  if (ts.empty() || ts.size() > 2 || ts[0].factors.size() != 1 || ts[0].factors[0].power != 1)
    return std::nullopt;
  if (ts.size() == 2 && !ts[1].factors.empty()) return std::nullopt;
  const Nat s = atom_nat(*ts[0].factors[0].atom);
  const Facts::Interval i = facts.bounds(s);
  if (!i.lower || !i.upper || *i.upper - *i.lower != 1) return std::nullopt;
  return TwoValued{s, ts[0].coefficient, *i.lower, constant_part(r)};
}
/// The linear function that takes the two values f(lo) and f(lo + 1).
template <class F>
Nat linear(const TwoValued& t, F f) {
  const std::int64_t at_lo = f(t.c * t.lo + t.d), at_hi = f(t.c * (t.lo + 1) + t.d);
  return at_lo + (t.s - t.lo) * (at_hi - at_lo);
}

/// The multiple q with q*b <= r < (q + 1)*b, where ranges prove it.
std::optional<Nat> known_quotient(const Nat& r, const Nat& b, const Facts& facts) {
  if (const auto m = b.constant()) {
    const Facts::Interval i = facts.bounds(r);
    if (i.lower && i.upper && floor_div(*i.lower, *m) == floor_div(*i.upper, *m))
      return Nat(floor_div(*i.lower, *m));
    if (i.lower && i.upper) {
      // Correlated operands make the interval too wide: try the quotients it allows, if they are few.
      const std::int64_t first = floor_div(*i.lower, *m), last = floor_div(*i.upper, *m);
      if (last - first > 3) return std::nullopt;
      for (std::int64_t q = first; q <= last; ++q)
        if (facts.proves_nonnegative(r - q * *m) && facts.proves_nonnegative((q + 1) * *m - 1 - r))
          return Nat(q);
      return std::nullopt;
    }
  }
  for (const std::int64_t q : {0, -1, 1})
    if (facts.proves_nonnegative(r - q * b) && facts.proves_nonnegative((q + 1) * b - 1 - r)) return Nat(q);
  return std::nullopt;
}

std::int64_t common_factor(const Nat& r, std::int64_t m) {
  std::int64_t g = m;
  for (const NatTerm& t : terms(r))
    if (!t.factors.empty()) g = std::gcd(g, t.coefficient);
  return g;
}

/// Inside mod m: coefficients in 0..m-1, (x mod m') for m | m' is x, powers of residues are known.
Nat reduce_modulo(const Nat& a, std::int64_t m) {
  Nat r = 0;
  for (NatTerm t : terms(a)) {
    t.coefficient = floor_mod(t.coefficient, m);
    if (t.coefficient == 0) continue;
    Nat product = t.coefficient;
    for (const NatFactor& f : t.factors) {
      Nat v = atom_nat(*f.atom);
      if (f.atom->kind == AtomKind::Mod) {
        const auto inner = f.atom->b.constant();
        if (inner && *inner % m == 0) v = f.atom->a;
      } else if (f.atom->kind == AtomKind::Var && f.atom->modulus % m == 0) {
        v = floor_mod(f.atom->residue, m);
      }
      for (int p = 0; p < (m == 2 ? 1 : f.power); ++p) product = product * v;
    }
    r = r + product;
  }
  return r;
}

/// r = g*coarse + fine with 0 <= fine < g, where g divides m: what lies below g takes no part in a division
/// by m.
struct Levels {
  std::int64_t g;
  Nat coarse, fine;
};
std::optional<Levels> levels(const Nat& r, std::int64_t m, const Facts& facts) {
  std::int64_t tried = m;  // the largest first
  for (;;) {
    std::int64_t g = 1;
    for (const NatTerm& t : terms(r))
      if (const std::int64_t common = std::gcd(t.coefficient, m); !t.factors.empty() && common < tried)
        g = std::max(g, common);
    if (g == 1) return std::nullopt;
    Levels l{g, 0, 0};
    for (NatTerm t : terms(r)) {
      const std::int64_t whole = t.factors.empty()        ? floor_div(t.coefficient, g)
                                 : t.coefficient % g == 0 ? t.coefficient / g
                                                          : 0;
      t.coefficient -= whole * g;
      if (t.coefficient != 0) l.fine = l.fine + monomial(t);
      t.coefficient = whole;
      if (whole != 0) l.coarse = l.coarse + monomial(t);
    }
    const Facts::Interval i = facts.bounds(l.fine);
    if (i.lower && i.upper && *i.lower >= 0 && *i.upper < g) return l;
    tried = g;
  }
}

}  // namespace

namespace detail {

Nat floordiv_with(const Nat& a, const Nat& b, const Facts& facts) {
  const auto m = b.constant();
  if (m && *m <= 0) throw std::domain_error("division of " + a.str() + " by " + std::to_string(*m));
  if (b == Nat(1)) return a;
  Division d = divide(a, b);
  if (d.rest == Nat(0)) return d.quotient;
  if (const auto q = known_quotient(d.rest, b, facts)) return d.quotient + *q;
  if (m) {
    if (const auto t = two_valued(d.rest, facts))
      return d.quotient + linear(*t, [&](std::int64_t x) { return floor_div(x, *m); });
    const std::int64_t g = common_factor(d.rest, *m);
    if (g > 1) {
      const std::int64_t c = constant_part(d.rest);
      Nat reduced = floor_div(c, g);
      for (NatTerm t : terms(d.rest))
        if (!t.factors.empty()) t.coefficient /= g, reduced = reduced + monomial(t);
      return d.quotient + floordiv_with(reduced, *m / g, facts);
    }
    if (const auto l = levels(d.rest, *m, facts))
      return d.quotient + floordiv_with(l->coarse, *m / l->g, facts);
    if (const auto t = residue(d.rest, *m); t && *t != 0)
      return d.quotient + floordiv_with(d.rest - *t, b, facts);
    for (const NatTerm& t : terms(d.rest)) {  // (x - x mod m + y) div m = x div m + y div m where m divides y
      const NatAtom* rest = t.factors.size() == 1 && t.coefficient == -1 ? t.factors[0].atom : nullptr;
      if (!rest || rest->kind != AtomKind::Mod || t.factors[0].power > 1 || !(rest->b == b)) continue;
      const Nat y = d.rest - (rest->a - rest->alone);
      if (residue(y, *m) == 0)
        return d.quotient + floordiv_with(rest->a, b, facts) + floordiv_with(y, b, facts);
    }
    const auto ts = terms(d.rest);
    if (ts[0].coefficient == 1 && ts[0].factors.size() == 1 && ts[0].factors[0].power == 1 &&
        ts[0].factors[0].atom->kind == AtomKind::FloorDiv &&
        (ts.size() == 1 ||
         (ts.size() == 2 && ts[1].factors.empty()))) {  // (x div k + c) div m = (x + k*c) div (k*m)
      const NatAtom& inner = *ts[0].factors[0].atom;
      return d.quotient + floordiv_with(inner.a + inner.b * constant_part(d.rest), inner.b * b, facts);
    }
  }
  return d.quotient + compound(AtomKind::FloorDiv, d.rest, b);
}

Nat mod_with(const Nat& a, const Nat& b, const Facts& facts) {
  const auto m = b.constant();
  if (m && *m <= 0) throw std::domain_error("remainder of " + a.str() + " by " + std::to_string(*m));
  if (b == Nat(1)) return 0;
  Nat r = a;
  if (m) {
    for (Nat next = reduce_modulo(r, *m); !(next == r); next = reduce_modulo(r, *m)) r = next;
  } else {
    r = divide(a, b).rest;
  }
  if (r == Nat(0)) return 0;
  if (const auto q = known_quotient(r, b, facts)) return r - *q * b;
  if (m) {
    if (const auto t = two_valued(r, facts))
      return linear(*t, [&](std::int64_t x) { return floor_mod(x, *m); });
    const std::int64_t c = constant_part(r);
    if (*m == 2 && c == 1) return 1 - mod_with(r - 1, b, facts);
    const std::int64_t g = common_factor(r, *m);
    if (g > 1) {
      Nat reduced = floor_div(c, g);
      for (NatTerm t : terms(r))
        if (!t.factors.empty()) t.coefficient /= g, reduced = reduced + monomial(t);
      return g * mod_with(reduced, *m / g, facts) + floor_mod(c, g);
    }
    if (const auto l = levels(r, *m, facts)) return l->g * mod_with(l->coarse, *m / l->g, facts) + l->fine;
  }
  return compound(AtomKind::Mod, r, b);
}

/// min (sign 1) or max (sign -1).
Nat extremum(AtomKind kind, const Nat& a, const Nat& b, const Facts& facts) {
  if (a == b) return a;
  const bool least = kind == AtomKind::Min;
  if (facts.proves_nonnegative(b - a)) return least ? a : b;
  if (facts.proves_nonnegative(a - b)) return least ? b : a;
  Nat common = 0;
  for (const NatTerm& t : terms(a))
    for (const NatTerm& u : terms(b)) {
      if (t.factors.empty() || u.factors.empty()) continue;
      NatTerm same = t;
      same.coefficient = u.coefficient;
      if (t.coefficient == u.coefficient && monomial(same) == monomial(u)) common = common + monomial(t);
    }
  Nat x = a - common, y = b - common;
  if (y.id() < x.id()) std::swap(x, y);
  const std::int64_t c =
      std::min(constant_part(x), constant_part(y));  // one operand is left without a constant
  x = x - c, y = y - c;
  if (y.id() < x.id()) std::swap(x, y);
  return common + c + compound(kind, x, y);
}

}  // namespace detail

Nat floordiv(const Nat& a, const Nat& b) { return detail::floordiv_with(a, b, {}); }
Nat mod(const Nat& a, const Nat& b) { return detail::mod_with(a, b, {}); }
Nat min(const Nat& a, const Nat& b) { return detail::extremum(AtomKind::Min, a, b, {}); }
Nat max(const Nat& a, const Nat& b) { return detail::extremum(AtomKind::Max, a, b, {}); }

Nat simplify(const Nat& n) { return Facts().simplify(n); }

}  // namespace lift
