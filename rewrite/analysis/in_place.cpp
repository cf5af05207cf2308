// May an update overwrite its base? The elements of a half-sweep are computed in any order, so each load of
// the base must be of the written element itself or of one that no iteration writes: outside the updated
// block, or excluded by the guard (the other colour of a red-black sweep). Loads near a boundary are taken
// case by case, as their pads choose.
#include <algorithm>
#include <optional>

#include "ir/error.hpp"
#include "rewrite/analysis/cases.hpp"
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

class InPlace {
 public:
  explicit InPlace(const WrittenElement& w) : w_(w) {
    for (const NatCond& c : w.guard) guarded_ = guarded_.with(c);
  }

  /// The loads of the new value, under the guard, and those of tests on data, which the guard does not
  /// protect.
  std::string obstacle() const {
    if (const auto l = unsafe_load(w_.value, guarded_)) return reason((*l)->nats, !w_.guard.empty());
    for (const Term& t : w_.tests)
      for (const Term& l : loads_of(t))
        if (l->name == w_.updated && !safe(l->nats, {})) return reason(l->nats, false);
    return "";
  }

 private:
  /// A load that may be of an element that is overwritten; of a select, each side where it is chosen.
  std::optional<Term> unsafe_load(const Term& t, const Facts& facts) const {
    if (!seen_.first(t, facts)) return std::nullopt;
    if (t->kind == TermKind::Load && t->name == w_.updated && !safe(t->nats, facts)) return t;
    const bool chooses =
        t->kind == TermKind::Apply && t->op == Op::Select && t->args[0]->kind == TermKind::Compare;
    for (std::size_t i = 0; i < t->args.size(); ++i) {
      const Facts here = !chooses || i == 0 ? facts
                         : i == 1           ? facts.with(t->args[0]->conds[0])
                                            : facts.with(negate(t->args[0]->conds[0]));
      if (const auto l = unsafe_load(t->args[i], here)) return l;
    }
    return std::nullopt;
  }

  std::string reason(const Position& p, bool guarded) const {
    std::string s = text_of(w_.updated, p) + " is read for " + text_of(w_.updated, w_.position) +
                    " but may be overwritten in the same sweep: ";
    if (!guarded) return s + "no condition on the indices keeps readers and writers apart";
    for (const NatCond& c : w_.guard) s += (c == w_.guard.front() ? "" : " and ") + str(c);
    return s + " does not provably exclude it";
  }

  bool safe(const Position& p, const Facts& facts) const {
    const std::vector<PositionCase> cases = cases_of(p, facts);
    return std::all_of(cases.begin(), cases.end(), [&](const PositionCase& c) {
      return own(c.position, c.facts) || never_writes(w_, c.position, c.facts);
    });
  }

  bool own(const Position& p, const Facts& facts) const {
    for (std::size_t d = 0; d < p.size(); ++d)
      if (!facts.proves(equal(p[d], w_.position[d]))) return false;
    return true;
  }

  const WrittenElement& w_;
  Facts guarded_;
  mutable SeenUnder seen_;
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
