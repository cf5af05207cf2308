#include "ir/nat/interval.hpp"

#include <algorithm>

#include "ir/nat/nat_atoms.hpp"

namespace lift::detail {
namespace {

using Interval = NatInterval;
using Bound = std::optional<std::int64_t>;

Bound checked(__int128 v) { return v > large || v < -large ? Bound() : Bound(static_cast<std::int64_t>(v)); }

Interval multiply(const Interval& x, const Interval& y) {
  Interval r;
  if (x.lower && x.upper && y.lower && y.upper) {
    const __int128 p[] = {
        static_cast<__int128>(*x.lower) * *y.lower, static_cast<__int128>(*x.lower) * *y.upper,
        static_cast<__int128>(*x.upper) * *y.lower, static_cast<__int128>(*x.upper) * *y.upper};
    r.lower = checked(*std::min_element(p, p + 4)), r.upper = checked(*std::max_element(p, p + 4));
  } else if (x.lower && *x.lower >= 0 && y.lower && *y.lower >= 0) {
    r.lower = checked(static_cast<__int128>(*x.lower) * *y.lower);
  }
  return r;
}
Interval scale(const Interval& x, std::int64_t c) {
  const auto times = [&](const Bound& b) { return b ? checked(static_cast<__int128>(*b) * c) : Bound(); };
  return c >= 0 ? Interval{times(x.lower), times(x.upper)} : Interval{times(x.upper), times(x.lower)};
}
Bound add(const Bound& a, const Bound& b) {
  return a && b ? checked(static_cast<__int128>(*a) + *b) : Bound();
}

Interval of_mod(const Interval& x, const Interval& m) {
  Interval r{0, m.upper ? Bound(*m.upper - 1) : Bound()};
  if (x.lower && *x.lower >= 0 && x.upper && (!r.upper || *x.upper < *r.upper)) r.upper = x.upper;
  return r;
}
Interval of_floordiv(const Interval& x, const Interval& m) {
  if (!m.lower || *m.lower <= 0) return {};
  Interval r;
  if (x.lower) r.lower = *x.lower >= 0 ? (m.upper ? *x.lower / *m.upper : 0) : floor_div(*x.lower, *m.lower);
  if (x.upper) r.upper = *x.upper >= 0 ? *x.upper / *m.lower : (m.upper ? floor_div(*x.upper, *m.upper) : -1);
  return r;
}
/// Of min(x, y); the bounds of max(x, y) change their roles.
Interval of_extremum(bool is_min, const Interval& x, const Interval& y) {
  const auto pick = [&](const Bound& p, const Bound& q) {
    return Bound(is_min ? std::min(*p, *q) : std::max(*p, *q));
  };
  const auto both = [&](const Bound& p, const Bound& q) { return p && q ? pick(p, q) : Bound(); };
  const auto either = [&](const Bound& p, const Bound& q) { return p && q ? pick(p, q) : (p ? p : q); };
  if (is_min) return {both(x.lower, y.lower), either(x.upper, y.upper)};
  return {either(x.lower, y.lower), both(x.upper, y.upper)};
}

}  // namespace

Interval interval_of(const NatAtom& a) {
  const auto of = [](const Nat& n) -> const Interval& { return n.node()->interval; };
  switch (a.kind) {
    case AtomKind::Var:
      return {of(a.lower).lower, a.bounded_above ? of(a.upper).upper : Bound()};
    case AtomKind::Mod:
      return of_mod(of(a.a), of(a.b));
    case AtomKind::FloorDiv:
      return of_floordiv(of(a.a), of(a.b));
    case AtomKind::Min:
    case AtomKind::Max:
      return of_extremum(a.kind == AtomKind::Min, of(a.a), of(a.b));
  }
  return {};
}

Interval interval_of(std::span<const NatTerm> terms) {
  Interval sum{0, 0};
  for (const NatTerm& t : terms) {
    Interval product{1, 1};
    for (const NatFactor& f : t.factors)
      for (int p = 0; p < f.power; ++p) product = multiply(product, f.atom->interval);
    product = scale(product, t.coefficient);
    sum = {add(sum.lower, product.lower), add(sum.upper, product.upper)};
  }
  return sum;
}

}  // namespace lift::detail
