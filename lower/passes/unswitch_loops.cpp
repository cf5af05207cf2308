// Loop unswitching: an innermost loop that asks on which side of boundaries its row lies, in each iteration
// and for each neighbour, is there twice. Rows away from all boundaries, most of them, ask once.
#include <algorithm>
#include <numeric>

#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

constexpr std::size_t kLeastAsked = 3;      ///< conditions; fewer cost less than more text does
constexpr std::size_t kMostUnswitched = 8;  ///< of the loop
constexpr int kMostLoops = 12;              ///< of a kernel

/// The value of n in the middle of all loops, for large sizes.
std::int64_t in_the_middle(const Nat& n) {
  return evaluate(n, [](const NatAtom& v) {
    if (v.bounded_above) return (in_the_middle(v.lower) + in_the_middle(v.upper)) / 2;
    return (std::int64_t{1} << 20) * v.modulus + v.residue;
  });
}

/// What the loop asks about its row, as it is away from boundaries.
std::vector<NatCond> asked_of_row(const For& f) {
  std::vector<NatCond> all;
  visit_terms(f.body, [&](const Term& x) {
    if (x->kind != TermKind::Compare || x->conds[0].kind != NatCond::Kind::NonNegative) return;
    const Nat& a = x->conds[0].a;
    if (mentions(a, f.var) || variables(a).empty()) return;
    const NatCond c = in_the_middle(a) >= 0 ? x->conds[0] : negate(x->conds[0]);
    if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
  });
  return all;
}

Block under(const Block& body, const Facts& facts) {
  const Block positions = map_nats(body, [&](const Nat& n) { return facts.simplify(n); });
  return map_terms(positions, [&](const Term& t) { return simplify(t, facts); });
}

class Unswitch {
 public:
  Block operator()(const Block& b) {
    Block r;
    for (const Stmt& s : b) {
      const auto* f = std::get_if<For>(&s.v);
      const Block* body = body_of(s);
      if (f && f->kind >= LoopKind::Glb) {  // work-items ask for themselves
        r.push_back(s);
      } else if (f && !has_loop(f->body)) {
        for (Stmt& piece : versions(*f)) r.push_back(std::move(piece));
      } else {
        r.push_back(s);
        if (body) *body_of(r.back()) = (*this)(*body);
      }
    }
    return r;
  }

 private:
  Block versions(const For& f) {
    std::size_t statements = 0;
    visit(f.body, [&](const Stmt&) { ++statements; });
    const bool plain = (f.kind == LoopKind::Seq || f.kind == LoopKind::Vec) && !f.is_scheduled();
    const bool guarded = holds(f.body, [](const Stmt& s) { return std::holds_alternative<If>(s.v); });
    if (!plain || guarded || statements > kMostUnswitched || loops_ >= kMostLoops) return {{f}};
    const std::vector<NatCond> asked = asked_of_row(f);
    if (asked.size() < kLeastAsked) return {{f}};
    Facts facts;
    std::vector<Term> conditions;
    for (const NatCond& c : asked) facts = facts.with(c), conditions.push_back(compare_term(c));
    For inside = f;
    inside.body = under(f.body, facts);
    if (!asked_of_row(inside).empty()) return {{f}};
    ++loops_;
    const Term all = std::accumulate(conditions.begin() + 1, conditions.end(), conditions[0],
                                     [](const Term& a, const Term& b) {
                                       return apply_term(Op::And, boolean, {a, b});
                                     });
    return {{If{{all}, {{inside}}}}, {If{{apply_term(Op::Not, boolean, {all})}, {{f}}}}};
  }
  int loops_ = 0;
};

}  // namespace

Block unswitch_loops(const Block& b) { return Unswitch()(b); }

}  // namespace lift
