#include "rewrite/analysis/cases.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/nat/nat_atoms.hpp"

namespace lift {
namespace {

using Position = std::vector<Nat>;

/// An innermost min, max or mod that is not among `left`.
const NatAtom* innermost_choice(const Nat& n, const std::vector<const NatAtom*>& left) {
  for (const NatTerm& t : terms(n))
    for (const NatFactor& f : t.factors) {
      if (f.atom->kind == AtomKind::Var) continue;
      for (const Nat* operand : {&f.atom->a, &f.atom->b})
        if (const NatAtom* inner = innermost_choice(*operand, left)) return inner;
      if (f.atom->kind != AtomKind::FloorDiv && std::find(left.begin(), left.end(), f.atom) == left.end())
        return f.atom;
    }
  return nullptr;
}

/// What an atom equals under conditions.
struct Choice {
  std::vector<NatCond> when;
  Nat value;
  bool wraps = false;
};
/// The cases of an atom; all together cover every value. Empty: it has no finite cases that can be proved.
std::vector<Choice> choices_of(const NatAtom& x, const Facts& facts) {
  const Nat &a = x.a, &b = x.b;
  if (x.kind == AtomKind::Min || x.kind == AtomKind::Max) {
    // where both are equal, the one that moves with the element says more: its remainders are known
    const Nat &fixed = a.is_constant() ? a : b, &moving = a.is_constant() ? b : a;
    return x.kind == AtomKind::Min
               ? std::vector<Choice>{{{less(fixed, moving)}, fixed}, {{less_equal(moving, fixed)}, moving}}
               : std::vector<Choice>{{{less(moving, fixed)}, fixed}, {{less_equal(fixed, moving)}, moving}};
  }
  // a mod b where a is at most one period away, as at the wrap of a periodic boundary
  if (!facts.proves(less_equal(0, a + b)) || !facts.proves(less(a, 2 * b))) return {};
  return {
      {{less_equal(0, a), less(a, b)}, a}, {{less(a, 0)}, a + b, true}, {{less_equal(b, a)}, a - b, true}};
}

class Cases {
  static constexpr std::size_t kMost = 1000;

 public:
  std::vector<PositionCase> found;

  void split(const PositionCase& c, const std::vector<const NatAtom*>& left) {
    const NatAtom* atom = nullptr;
    for (const Nat& n : c.position)
      if (!atom) atom = innermost_choice(n, left);
    if (!atom || found.size() >= kMost) return found.push_back(c);
    const std::vector<Choice> choices = choices_of(*atom, c.facts);
    if (choices.empty()) {
      auto more = left;
      more.push_back(atom);
      return split(c, more);
    }
    for (const Choice& choice : choices)
      if (const auto next = taken(c, *atom, choice)) split(*next, left);
  }

 private:
  /// Nothing for a choice that does not occur.
  static std::optional<PositionCase> taken(const PositionCase& c, const NatAtom& atom, const Choice& choice) {
    PositionCase next{{}, c.facts, c.wrapped};
    for (const NatCond& condition : choice.when) {
      if (next.facts.refutes(condition)) return std::nullopt;
      next.facts = next.facts.with(condition);
    }
    for (std::size_t d = 0; d < c.position.size(); ++d) {
      next.position.push_back(detail::rebuild(c.position[d], [&](const NatAtom& a) {
        return &a == &atom ? std::optional(choice.value) : std::nullopt;
      }));
      if (choice.wraps && next.position[d] != c.position[d]) next.wrapped[d] = true;
    }
    return next;
  }
};

/// For a condition x mod m == c, with a number m.
struct Residue {
  const NatAtom* atom;  ///< x mod m
  std::int64_t value;   ///< c
};
std::optional<Residue> residue_of(const NatCond& c) {
  if (c.kind != NatCond::Kind::Zero) return std::nullopt;
  for (const NatTerm& t : terms(c.a)) {
    if (t.factors.size() != 1 || t.factors[0].atom->kind != AtomKind::Mod || t.factors[0].power != 1)
      continue;
    const auto rest = (c.a - t.coefficient * atom_nat(*t.factors[0].atom)).constant();
    if (rest && t.factors[0].atom->b.is_constant() && *rest % t.coefficient == 0)
      return Residue{t.factors[0].atom, -*rest / t.coefficient};
  }
  return std::nullopt;
}

/// The value that the index of dimension d has where p is written.
Nat index_at(const WrittenElement& w, const Position& p, std::size_t d) {
  return p[d] - (w.position[d] - w.index[d]);
}

bool outside(const WrittenElement& w, const Position& p, const Facts& facts) {
  for (std::size_t d = 0; d < p.size(); ++d) {
    const NatAtom& range = *variables(w.index[d]).at(0);
    const Nat index = index_at(w, p, d);
    if (facts.proves(less(index, range.lower)) || facts.proves(less(range.upper, index))) return true;
  }
  return false;
}

bool excluded(const WrittenElement& w, const Position& p, const Facts& facts) {
  std::map<const NatAtom*, Nat> there;
  for (std::size_t d = 0; d < p.size(); ++d) there.emplace(variables(w.index[d]).at(0), index_at(w, p, d));
  return std::any_of(w.guard.begin(), w.guard.end(), [&](const NatCond& c) {
    if (facts.refutes({c.kind, facts.simplify(substitute(c.a, there))})) return true;
    const auto wanted = residue_of(c);
    if (!wanted) return false;
    // y mod m is known, and x differs from y by a number of which the remainder is not the one wanted
    for (const NatCond& known : facts.conditions()) {
      const auto r = residue_of(known);
      if (!r || r->atom->b != wanted->atom->b) continue;
      const Nat m = wanted->atom->b;
      const auto shift = facts.simplify(mod(substitute(wanted->atom->a, there) - r->atom->a, m)).constant();
      if (shift && mod(Nat(r->value + *shift - wanted->value), m) != Nat(0)) return true;
    }
    return false;
  });
}

}  // namespace

std::vector<PositionCase> cases_of(const std::vector<Nat>& position, const Facts& facts) {
  Cases c;
  c.split({position, facts, std::vector<bool>(position.size(), false)}, {});
  return c.found;
}

bool SeenUnder::first(const Term& t, const Facts& facts) {
  constexpr int kMost = 10'000;
  std::vector<NatCond> where(facts.conditions().begin(), facts.conditions().end());
  auto& seen = seen_[t->id];
  if (std::find(seen.begin(), seen.end(), where) != seen.end()) return false;
  if (++times_ > kMost)
    throw UserError(
        "an element is chosen under more than " + std::to_string(kMost) +
        " conditions, selects within selects; give parts of it names (let) of arrays of their own");
  seen.push_back(std::move(where));
  return true;
}

bool never_writes(const WrittenElement& w, const std::vector<Nat>& p, const Facts& facts) {
  return outside(w, p, facts) || excluded(w, p, facts);
}

}  // namespace lift
