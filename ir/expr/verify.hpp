// The verifier: what must hold of a program between any two steps, as a list of rules. A rule of rewriting or
// a pass that breaks one of them has a defect; a person's mistake is found earlier, by the typing rules, the
// guards, and where a program is read (check_decisions).
//
// "Inside" is inside the function of a map: the array it is applied to is computed before.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr/program.hpp"

namespace lift {

/// Throws InternalError for the first rule broken: its name, the part of the program, and `after` (the pass
/// or rule that ran last, if given: then the derivation may go on, and what belongs into a work-group may
/// still be inside maps without a decision).
void verify(const Program& program, std::string_view after = {});

/// Throws UserError when a program that somebody wrote has a decision where it cannot be: what, the rule
/// about it, and what to try. Only the rules about decisions are looked at.
void check_decisions(const Program& program);

/// Why the updates in place of a program break the verifier's rule about them, "" where they do not.
std::string why_not_in_place_there(const Program& program);

/// Why a map with a decision cannot stand in a program by the rules about what may be inside what: instead of
/// `before`, below these, the outermost first. "" where it can.
std::string why_not_inside(const Program& program, std::span<const Expr> around, const Expr& before,
                           const Expr& map);

/// A rule of the verifier, for people: its name and what it demands.
struct VerifierRule {
  std::string_view name, holds;
};
std::vector<VerifierRule> verifier_rules();

}  // namespace lift
