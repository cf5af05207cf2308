// Testing rules by what they mean: random instances of a left side, the rule applied, the interpreter on both
// sides.
#pragma once

#include <set>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "rewrite/own/random_expressions.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift::test {

/// A program that a rule may apply to.
struct Instance {
  Expr e;
  Arguments arguments;
  Place place;
};

using Gen = RandomExpressions;

struct Outcome {
  int accepted = 0, refused = 0, wrong = 0;
  int mistyped = 0;             ///< of the refused: the rule took it and made what has another type, or none
  std::set<std::size_t> sides;  ///< which of the rule's sides were used
  std::string first_wrong, first_refused, first_mistyped;
};

/// Applies the rule to instances until `wanted` are accepted (at most 20 times as many are tried); every
/// second one lies inside a map, so that its parts are bound by an outer function.
Outcome check_rule(const Rule& r, const std::function<Instance(Gen&)>& instance, int wanted = 200,
                   unsigned seed = 1);

}  // namespace lift::test
