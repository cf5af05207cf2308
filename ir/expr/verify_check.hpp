// What the rules of the verifier are made of; its lists are in verify.cpp (programs and nodes),
// verify_nesting.cpp and verify_scopes.cpp.
#pragma once

#include <span>
#include <string>

#include "ir/expr/verify.hpp"

namespace lift::verifier {

/// The program in question, and how a broken rule is reported.
struct Check {
  const Program& program;
  std::string_view after = {};
  bool written = false;    ///< by a person, whose mistakes are a UserError
  bool asked = false;      ///< whether the program may be so: a UserError says why not
  VerifierRule rule = {};  ///< that is being checked
  [[noreturn]] void broken(const std::string& what) const;
  [[noreturn]] void broken(const std::string& what, const Expr& where) const;
};

struct OfPrograms : VerifierRule {
  void (*check)(const Check&);
  bool of_decisions = false;
};
struct OfNodes : VerifierRule {
  void (*check)(const Check&, const Expr&);
  bool of_decisions = false;
};

/// What encloses an expression; dimensions of the NDRange as bits.
struct Around {
  bool vec = false;
  bool undecided = false;  ///< a map that may still become a loop over work-groups
  unsigned glb = 0, wrg = 0, lcl = 0;
  unsigned key() const {
    return (vec ? 1U : 0U) | glb << 1U | wrg << 5U | lcl << 9U | (undecided ? 1U << 13U : 0U);
  }
};
/// The dimensions of a map on a grid as bits; 0 for others.
unsigned dimensions(const Expr& map);

struct OfNesting : VerifierRule {
  void (*check)(const Check&, const Expr&, const Around&);
};

std::span<const OfNesting> rules_of_nesting();
/// Checks each node of a part once for each kind of surroundings.
void check_nesting(Check& c, const Expr& part, const Around& around = {});
/// The surroundings of a part below others, the outermost first.
Around surroundings(std::span<const Expr> around, const Expr& part);

// verify_scopes.cpp
void binders(const Check& c);
void update_in_place(const Check& c);

}  // namespace lift::verifier
