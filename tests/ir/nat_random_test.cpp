// Symbolic arithmetic against brute force.
#include <doctest/doctest.h>

#include <stdexcept>

#include "nat_random.hpp"

using namespace lift;
using namespace lift::test;

namespace nat_random_test {
namespace {

/// What is wrong with the simplification of a term; empty: nothing.
std::string fault(const World& w, const AstPtr& t, const Builders& how = {}) {
  const Nat n = build(t, w, how);
  std::string wrong;
  assignments(w, [&](const Assignment& at) {
    if (!wrong.empty()) return;
    const auto expected = value(t, at);
    if (!expected) return;
    try {
      const std::int64_t got = value(n, w, at);
      if (got != *expected)
        wrong = n.str() + " is " + std::to_string(got) + " instead of " + std::to_string(*expected);
    } catch (const std::domain_error& e) {
      wrong = n.str() + ": " + e.what();
    }
  });
  if (wrong.empty() && !(simplify(n) == n))
    wrong = "not idempotent: " + n.str() + " becomes " + simplify(n).str();
  return wrong;
}

NatCond condition(Generator& g, const World& w, int depth) {
  const Nat a = build(g.term(w, depth), w);
  switch (g.between(0, 3)) {
    case 0:
      return {NatCond::Kind::Zero, a};
    case 1:
      return {NatCond::Kind::NonZero, a};
    default:
      return {NatCond::Kind::NonNegative, a};
  }
}

}  // namespace

TEST_CASE(
    "20,000 random terms: simplified, they keep their value for all assignments, and stay as they are") {
  Generator g(1);
  int compound = 0;
  for (int round = 0; round < 20000; ++round) {
    const World w = g.world();
    const AstPtr t = g.term(w, static_cast<int>(g.between(1, 4)));
    const std::string wrong = fault(w, t);
    INFO("round " << round);
    CHECK_MESSAGE(wrong.empty(), wrong);
    compound += terms(build(t, w)).size() > 1;
  }
  CHECK(compound > 5000);
}

TEST_CASE("a wrong simplification is caught") {
  // floordiv does not distribute over sums.
  Builders wrong;
  wrong.div = [](const Nat& a, const Nat& b) {
    Nat sum = 0;
    for (const NatTerm& t : terms(a)) {
      Nat one = t.coefficient;
      for (const NatFactor& f : t.factors)
        for (int p = 0; p < f.power; ++p) one = one * atom_nat(*f.atom);
      sum = sum + floordiv(one, b);
    }
    return sum;
  };
  Generator g(2);
  int caught = 0;
  for (int round = 0; round < 2000; ++round) {
    const World w = g.world();
    caught += !fault(w, g.term(w, 3), wrong).empty();
  }
  CHECK(caught > 20);
}

TEST_CASE("proofs are sound, and find what is there to find") {
  Generator g(3);
  int proved = 0, true_ones = 0;
  for (int round = 0; round < 12000; ++round) {
    const World w = g.world();
    Facts facts;
    std::vector<NatCond> known;
    for (std::int64_t k = g.between(0, 2); k > 0; --k) {
      known.push_back(condition(g, w, 1));
      facts = facts.with(known.back());
    }
    const NatCond goal = condition(g, w, static_cast<int>(g.between(1, 3)));
    const bool claimed = facts.proves(goal);
    bool always = true, any = false;
    try {
      assignments(w, [&](const Assignment& at) {
        for (const NatCond& k : known)
          if (!holds(k, w, at)) return;
        any = true;
        always &= holds(goal, w, at);
      });
    } catch (const std::domain_error&) {
      continue;  // a divisor that is not positive
    }
    INFO("round " << round << ": " << str(goal));
    CHECK_FALSE((claimed && !always));
    true_ones += any && always, proved += any && claimed;
  }
  CHECK(true_ones > 2000);
  CHECK(proved * 10 > true_ones * 7);
}

TEST_CASE("what conditions simplify is equal wherever they hold") {
  Generator g(4);
  for (int round = 0; round < 8000; ++round) {
    const World w = g.world();
    const NatCond known = condition(g, w, 1);
    const Facts facts = Facts().with(known);
    const Nat n = build(g.term(w, 3), w), s = facts.simplify(n);
    INFO("round " << round << ": " << n.str() << " becomes " << s.str() << " where " << str(known));
    bool equal = true;
    try {
      assignments(w, [&](const Assignment& at) {
        if (holds(known, w, at)) equal &= value(n, w, at) == value(s, w, at);
      });
    } catch (const std::domain_error&) {
      continue;
    }
    CHECK(equal);
    CHECK(facts.simplify(s) == s);
  }
}

TEST_CASE("substitution commutes with evaluation") {
  Generator g(5);
  for (int round = 0; round < 3000; ++round) {
    const World w = g.world();
    const AstPtr t = g.term(w, 3), by = g.term(w, 1);
    const Nat n = build(t, w), v = w.variables.back().nat, r = substitute(n, v, build(by, w));
    bool equal = true;
    assignments(w, [&](const Assignment& at) {
      const auto x = value(by, at);
      Assignment other = at;
      other.back() = *x;
      // The replacement need not lie within the variable's range: only such assignments are comparable.
      const auto low = value(w.variables.back().lower, at), high = value(w.variables.back().upper, at);
      const auto& last = w.variables.back();
      if (*x < *low || *x > *high || *x - last.modulus * floor_div(*x, last.modulus) != last.residue) return;
      const auto expected = value(t, other);
      if (!expected) return;
      try {
        equal &= value(r, w, at) == *expected;
      } catch (const std::domain_error&) {
        equal = false;
      }
    });
    INFO("round " << round << ": " << n.str() << " becomes " << r.str());
    CHECK(equal);
  }
}

}  // namespace nat_random_test
