// Proofs about symbolic integers. A goal n >= 0 is reduced by replacing, newest first, each atom by a bound
// of it in older ones, until it is a constant. Sound: each step replaces n by something not larger.
// Terminating: atoms' numbers descend.
#include <algorithm>
#include <memory>
#include <unordered_map>

#include "ir/hash.hpp"
#include "ir/nat/nat_atoms.hpp"

namespace lift {
namespace {

using detail::large;
using Interval = Facts::Interval;
using Bound = std::optional<std::int64_t>;

const Interval& interval(const Nat& n) { return n.node()->interval; }

/// One proof: what may still be tried, and the conditions known.
class Proof {
 public:
  explicit Proof(std::span<const NatCond> conditions) : conditions_(conditions) {}

  bool nonnegative(const Nat& n, std::uint64_t used = 0) {
    if (const auto c = n.constant()) return *c >= 0;
    const Interval& i = interval(n);
    if (i.lower && *i.lower >= 0) return true;
    if (i.upper && *i.upper < 0 && conditions_.empty()) return false;
    if (--budget_ < 0) return false;
    if (conditions_.empty()) return by_bound(n, used);
    // Conditions are taken in many orders, which lead to the same goals.
    if (const auto it = found_.find({n.id(), used}); it != found_.end()) return it->second;
    const bool r = by_bound(n, used) || by_condition(n, used);
    found_.emplace(Goal{n.id(), used}, r);
    return r;
  }

 private:
  /// Whether coefficients of the product are numbers that can be had.
  static bool fits(const Nat& a, const Nat& b) {
    const auto sum_of = [](const Nat& n) {
      __int128 sum = 0;
      for (const NatTerm& t : terms(n)) sum += t.coefficient < 0 ? -__int128{t.coefficient} : t.coefficient;
      return sum;
    };
    const __int128 x = sum_of(a), y = sum_of(b);
    return x == 0 || y <= large / x;
  }
  bool by_bound(const Nat& n, std::uint64_t used) {
    const NatAtom* newest = nullptr;
    for (const NatTerm& t : terms(n))
      for (const NatFactor& f : t.factors)
        if (!newest || f.atom->id > newest->id) newest = f.atom;
    // n = k*atom + rest, with the atom taken as an opaque variable. Of a power k keeps the other factors:
    // where k >= 0, atom*k is no less than a lower bound times k.
    std::vector<NatTerm> with_atom, others;
    for (const NatTerm& t : terms(n)) {
      if (std::any_of(t.factors.begin(), t.factors.end(),
                      [&](const NatFactor& f) { return f.atom == newest; }))
        with_atom.push_back({t.coefficient, detail::without_one(t.factors, newest)});
      else
        others.push_back(t);
    }
    const Nat k = detail::sum_of(std::move(with_atom)), rest = detail::from_terms(std::move(others));
    const auto c = k.constant();
    const bool up = c ? *c > 0 : nonnegative(k, used);  // n grows with the atom
    if (!up && !c && !nonnegative(-k, used)) return false;
    const auto with = [&](const Nat& bound) { return fits(k, bound) && nonnegative(k * bound + rest, used); };
    switch (newest->kind) {
      case AtomKind::Var:
        if (up) return with(newest->lower);
        return newest->bounded_above && with(newest->upper);
      case AtomKind::Mod:
        if (up) return with(0);
        if (with(newest->b - 1)) return true;
        return interval(newest->a).lower.value_or(-1) >= 0 && with(newest->a);  // x mod m <= x for x >= 0
      case AtomKind::FloorDiv: {
        const auto m = newest->b.constant();
        if (m && c) {  // integrality: n >= 0 follows from m*n > -m
          const Nat in_units = up ? newest->a - *m + 1 : newest->a;
          const Nat scaled = fits(k, in_units) ? k * in_units : Nat(0);
          if (fits(k, in_units) && fits(*m, rest) && nonnegative(scaled + *m * rest + (*m - 1), used))
            return true;
        }
        const Interval& i = newest->interval;
        const Bound& b = up ? i.lower : i.upper;
        return b && with(*b);
      }
      case AtomKind::Min:
        return up ? with(newest->a) && with(newest->b) : with(newest->a) || with(newest->b);
      case AtomKind::Max:
        return up ? with(newest->a) || with(newest->b) : with(newest->a) && with(newest->b);
    }
    return false;
  }
  bool by_condition(const Nat& n, std::uint64_t used) {
    for (std::size_t i = 0; i < conditions_.size() && i < 64; ++i) {
      if (used & (std::uint64_t{1} << i)) continue;
      const NatCond& c = conditions_[i];
      if (c.kind == NatCond::Kind::NonZero || !related(n, c.a)) continue;
      const std::uint64_t now = used | (std::uint64_t{1} << i);
      for (const std::int64_t k : {1, 2})
        if (nonnegative(n - k * c.a, now)) return true;
      if (c.kind == NatCond::Kind::Zero && nonnegative(n + c.a, now)) return true;
    }
    return false;
  }
  static bool related(const Nat& a, const Nat& b) {
    const auto &x = variables(a), &y = variables(b);
    return std::any_of(x.begin(), x.end(),
                       [&](const NatAtom* v) { return std::find(y.begin(), y.end(), v) != y.end(); });
  }

  std::span<const NatCond> conditions_;
  /// What was found: n >= 0 without the conditions that were used up.
  using Goal = std::pair<std::uint32_t, std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Goal& g) const { return mix(mix(0, g.first), g.second); }
  };
  std::unordered_map<Goal, bool, Hash> found_;
  int budget_ = 400;
};

/// Values that conditions give to single atoms.
using Values = std::map<const NatAtom*, Nat>;
/// a == 0 with a = +-atom + constant; a != 0 where the atom has two values.
Values known_values(std::span<const NatCond> conditions) {
  Values r;
  for (const NatCond& c : conditions) {
    const auto ts = terms(c.a);
    if (c.kind == NatCond::Kind::NonNegative || ts.empty() || ts.size() > 2 || ts[0].factors.size() != 1 ||
        ts[0].factors[0].power != 1)
      continue;
    const std::int64_t k = ts[0].coefficient;
    if ((k != 1 && k != -1) || (ts.size() == 2 && !ts[1].factors.empty())) continue;
    const std::int64_t zero_at = -k * (ts.size() == 2 ? ts[1].coefficient : 0);
    const NatAtom* atom = ts[0].factors[0].atom;
    const Interval& i = atom->interval;
    if ((i.lower && zero_at < *i.lower) || (i.upper && zero_at > *i.upper))
      continue;  // never so, or always: no value
    if (c.kind == NatCond::Kind::Zero) {
      r[atom] = zero_at;
    } else {
      if (i.lower && i.upper && *i.upper - *i.lower == 1)
        r[atom] = zero_at == *i.lower ? *i.upper : zero_at == *i.upper ? *i.lower : atom_nat(*atom);
    }
  }
  return r;
}

/// Results of whole proofs, and values: those without conditions, and those under the conditions that were
/// asked about last.
class Memo {
 public:
  Memo() = default;
  explicit Memo(std::span<const NatCond> conditions)
      : conditions_(conditions.begin(), conditions.end()),
        values_(std::make_shared<const Values>(known_values(conditions))) {}

  static Memo& of(std::span<const NatCond> conditions) {
    static thread_local Memo none, last;
    static thread_local std::uint64_t of_sweep = 0;
    if (of_sweep != detail::sweep_number()) none = Memo(), last = Memo(), of_sweep = detail::sweep_number();
    if (conditions.empty()) return none;
    if (!std::equal(conditions.begin(), conditions.end(), last.conditions_.begin(), last.conditions_.end()))
      last = Memo(conditions);
    return last;
  }
  std::shared_ptr<const Values> values() const { return values_; }
  bool nonnegative(const Nat& n, std::span<const NatCond> conditions) {
    if (const auto it = found_.find(n.id()); it != found_.end()) return it->second;
    const bool r = Proof(conditions).nonnegative(n);
    found_.emplace(n.id(), r);
    return r;
  }

 private:
  std::vector<NatCond> conditions_;
  std::shared_ptr<const Values> values_ = std::make_shared<const Values>();
  std::unordered_map<std::uint32_t, bool> found_;
};

bool nonnegative(const Nat& n, std::span<const NatCond> conditions) {
  if (const auto c = n.constant()) return *c >= 0;
  return Memo::of(conditions).nonnegative(n, conditions);
}

}  // namespace

Facts Facts::with(const NatCond& c) const {
  Facts f = *this;
  if (std::find(f.conditions_.begin(), f.conditions_.end(), c) == f.conditions_.end())
    f.conditions_.push_back(c);
  return f;
}

bool Facts::proves(const NatCond& goal) const {
  NatCond c = goal;
  if (!conditions_.empty()) {
    if (std::find(conditions_.begin(), conditions_.end(), c) != conditions_.end()) return true;
    const auto values = Memo::of(conditions_).values();
    if (!values->empty())
      c.a = detail::rebuild(c.a, [&](const NatAtom& a) -> std::optional<Nat> {
        const auto it = values->find(&a);
        return it == values->end() || it->second == atom_nat(a) ? std::nullopt : std::optional(it->second);
      });
  }
  switch (c.kind) {
    case NatCond::Kind::NonNegative:
      return nonnegative(c.a, conditions_);
    case NatCond::Kind::Zero:
      return c.a == Nat(0) || (nonnegative(c.a, conditions_) && nonnegative(-c.a, conditions_));
    case NatCond::Kind::NonZero:
      break;
  }
  for (const NatCond& known : conditions_)
    if (known.kind == NatCond::Kind::NonZero && (known.a == c.a || known.a == -c.a)) return true;
  if (nonnegative(c.a - 1, conditions_) || nonnegative(-c.a - 1, conditions_)) return true;
  for (const std::int64_t m : {2, 3, 4}) {
    const auto r = mod(c.a, m).constant();
    if (r && *r != 0) return true;
  }
  return false;
}

Facts::Interval Facts::bounds(const Nat& n) const { return interval(n); }

Nat Facts::simplify(const Nat& n) const {
  const auto values = Memo::of(conditions_).values();
  const std::function<Nat(const Nat&)> go = [&](const Nat& x) -> Nat {
    return detail::rebuild(x, [&](const NatAtom& a) -> std::optional<Nat> {
      if (const auto it = values->find(&a); it != values->end()) return it->second;
      if (a.kind == AtomKind::Var) return std::nullopt;
      const Nat p = go(a.a), q = go(a.b);
      switch (a.kind) {
        case AtomKind::FloorDiv:
          return detail::floordiv_with(p, q, *this);
        case AtomKind::Mod:
          return detail::mod_with(p, q, *this);
        default:
          return detail::extremum(a.kind, p, q, *this);
      }
    });
  };
  Nat r = n;
  for (int round = 0; round < 8; ++round) {
    const Nat next = go(r);
    if (next == r) break;
    r = next;
  }
  return r;
}

}  // namespace lift
