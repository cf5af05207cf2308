// The rules that derivations name. Which there are is said above the engine, in rewrite/rules.
#pragma once

#include <memory>

#include "rewrite/engine/rule.hpp"

namespace lift {

/// All rules, in the order of rewrite/rules/rules.hpp.
const std::vector<Rule>& all_rules();
/// Rules of one's own, shared by all who decide by them; null: none.
using OwnRules = std::shared_ptr<const std::vector<Rule>>;

/// Of one's own: derivations may name them from now on. One of the same name takes the place of an earlier
/// one. UserError: the library has a rule of that name.
void keep_rules(const std::vector<Rule>& rules);
/// The latest kept of each name.
std::vector<Rule> kept_rules();
/// Of the library, or kept. UserError listing near matches when there is none of that name.
const Rule& find_rule(const std::string& name);
/// What is wrong with a set of rules, one line each: unbound holes, unused parameters, names used twice,
/// rules that can never fire because their left side occurs in an earlier rule with the same right side,
/// sides that are the same.
std::vector<std::string> lint(const std::vector<Rule>& rules);

}  // namespace lift
