// May an update overwrite its base? The elements of a half-sweep are computed in any order, so each load of
// the base must be of the written element itself or of one that no iteration writes: outside the updated
// block, or excluded by the guard (the other colour of a red-black sweep). Loads near a boundary are taken
// case by case, as their pads choose.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/nat/nat_atoms.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "rewrite/analysis/written_element.hpp"

namespace lift {
namespace {

using Position = std::vector<Nat>;

std::string text_of(const std::string& array, const Position& p) {
  std::string s = array;
  for (const Nat& n : p) s += "[" + n.str() + "]";
  return s;
}

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
};
/// The cases of an atom; all together cover every value. Empty: it has no finite cases that can be proved.
std::vector<Choice> choices_of(const NatAtom& x, const Facts& facts) {
  const Nat &a = x.a, &b = x.b;
  if (x.kind == AtomKind::Min) return {{{less_equal(a, b)}, a}, {{less(b, a)}, b}};
  if (x.kind == AtomKind::Max) return {{{less_equal(b, a)}, a}, {{less(a, b)}, b}};
  // a mod b where a is at most one period away, as at the wrap of a periodic boundary
  if (!facts.proves(less_equal(0, a + b)) || !facts.proves(less(a, 2 * b))) return {};
  return {{{less_equal(0, a), less(a, b)}, a}, {{less(a, 0)}, a + b}, {{less_equal(b, a)}, a - b}};
}

/// For a condition x mod m == c: the atom x mod m.
const NatAtom* residue_of(const NatCond& c) {
  if (c.kind != NatCond::Kind::Zero) return nullptr;
  for (const NatTerm& t : terms(c.a)) {
    if (t.factors.size() != 1 || t.factors[0].atom->kind != AtomKind::Mod || t.factors[0].power != 1)
      continue;
    const Nat rest = c.a - t.coefficient * atom_nat(*t.factors[0].atom);
    if (rest.is_constant()) return t.factors[0].atom;
  }
  return nullptr;
}

class InPlace {
 public:
  explicit InPlace(const WrittenElement& w) : w_(w) {
    for (const NatCond& c : w.guard) guarded_ = guarded_.with(c);
  }

  /// The loads of the new value, under the guard, and those of tests on data, which the guard does not
  /// protect.
  std::string obstacle() const {
    for (const Term& l : loads_of(w_.value))
      if (l->name == w_.updated && !safe(l->nats, guarded_, {})) return reason(l->nats, !w_.guard.empty());
    for (const Term& t : w_.tests)
      for (const Term& l : loads_of(t))
        if (l->name == w_.updated && !safe(l->nats, {}, {})) return reason(l->nats, false);
    return "";
  }

 private:
  std::string reason(const Position& p, bool guarded) const {
    std::string s = text_of(w_.updated, p) + " is read for " + text_of(w_.updated, w_.position) +
                    " but may be overwritten in the same sweep: ";
    if (!guarded) return s + "no condition on the indices keeps readers and writers apart";
    for (const NatCond& c : w_.guard) s += (c == w_.guard.front() ? "" : " and ") + str(c);
    return s + " does not provably exclude it";
  }

  bool safe(const Position& p, const Facts& facts, const std::vector<const NatAtom*>& left) const {
    const NatAtom* atom = nullptr;
    for (const Nat& n : p)
      if (!atom) atom = innermost_choice(n, left);
    if (!atom) return own(p, facts) || outside(p, facts) || excluded(p, facts);
    const std::vector<Choice> choices = choices_of(*atom, facts);
    if (choices.empty()) {
      auto more = left;
      more.push_back(atom);
      return safe(p, facts, more);
    }
    return std::all_of(choices.begin(), choices.end(), [&](const Choice& c) {
      Facts here = facts;
      for (const NatCond& condition : c.when) {
        if (here.refutes(condition)) return true;  // does not occur
        here = here.with(condition);
      }
      Position q;
      for (const Nat& n : p)
        q.push_back(detail::rebuild(
            n, [&](const NatAtom& a) { return &a == atom ? std::optional(c.value) : std::nullopt; }));
      return safe(q, here, left);
    });
  }

  bool own(const Position& p, const Facts& facts) const {
    for (std::size_t d = 0; d < p.size(); ++d)
      if (!facts.proves(equal(p[d], w_.position[d]))) return false;
    return true;
  }

  /// The value that the index of dimension d has where p is written.
  Nat index_at(const Position& p, std::size_t d) const { return p[d] - (w_.position[d] - w_.index[d]); }

  bool outside(const Position& p, const Facts& facts) const {
    for (std::size_t d = 0; d < p.size(); ++d) {
      const NatAtom& range = *variables(w_.index[d]).at(0);
      const Nat index = index_at(p, d);
      if (facts.proves(less(index, range.lower)) || facts.proves(less(range.upper, index))) return true;
    }
    return false;
  }

  /// The guard forbids that both p and the written element are written.
  bool excluded(const Position& p, const Facts& facts) const {
    std::map<const NatAtom*, Nat> there;
    for (std::size_t d = 0; d < p.size(); ++d) there.emplace(variables(w_.index[d]).at(0), index_at(p, d));
    return std::any_of(w_.guard.begin(), w_.guard.end(), [&](const NatCond& c) {
      if (facts.refutes({c.kind, facts.simplify(substitute(c.a, there))})) return true;
      const auto known = facts.conditions();
      if (std::find(known.begin(), known.end(), c) == known.end()) return false;
      const NatAtom* r = residue_of(c);  // x mod m is the same at both, unless x differs by no multiple of m
      return r && r->b.is_constant() &&
             facts.simplify(mod(substitute(r->a, there) - r->a, r->b)).constant().value_or(0) != 0;
    });
  }

  const WrittenElement& w_;
  Facts guarded_;
};

}  // namespace

namespace {

std::string obstacle(const Program& program, const WrittenElement& w) {
  if (!w.update) return "the result is a new array, not an update of an argument";
  if (w.updated.empty())
    return "the update's base is not an argument of the result's type, element by element at its own "
           "position";
  if (std::find(program.overwritable.begin(), program.overwritable.end(), w.updated) ==
      program.overwritable.end())
    return w.updated + " may not be overwritten: the caller needs its old contents";
  return InPlace(w).obstacle();
}

/// What one result overwrites may be read for no other.
std::string shared(const std::vector<WrittenElement>& results) {
  for (const WrittenElement& w : results)
    for (const WrittenElement& other : results) {
      if (&w == &other) continue;
      if (w.updated == other.updated) return w.updated + " is updated by two results";
      std::vector<Term> terms = other.tests;
      terms.push_back(other.value);
      for (const Term& t : terms)
        for (const Term& l : loads_of(t))
          if (l->name == w.updated) return text_of(w.updated, l->nats) + " is read for another result";
    }
  return "";
}

}  // namespace

std::string why_not_in_place(const Program& program) {
  try {
    std::vector<WrittenElement> results;
    for (std::size_t r = 0; r < results_of(program).size(); ++r) {
      results.push_back(written_element(program, r));
      if (const std::string why = obstacle(program, results.back()); !why.empty()) return why;
    }
    return shared(results);
  } catch (const UserError& e) {
    return e.what();
  }
}

}  // namespace lift
