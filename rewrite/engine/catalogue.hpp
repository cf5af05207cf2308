// The rules that derivations name. Which there are is said above the engine, in rewrite/rules.
#pragma once

#include "rewrite/engine/rule.hpp"

namespace lift {

/// All rules, in the order of rewrite/rules/rules.hpp.
const std::vector<Rule>& all_rules();
/// UserError listing near matches when there is none of that name.
const Rule& find_rule(const std::string& name);
/// What is wrong with a set of rules, one line each: unbound holes, unused parameters, names used twice,
/// rules that can never fire because their left side occurs in an earlier rule with the same right side,
/// sides that are the same.
std::vector<std::string> lint(const std::vector<Rule>& rules);

}  // namespace lift
