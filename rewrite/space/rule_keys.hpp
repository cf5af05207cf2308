// The keys of decisions by rules of one's own: nowhere, everywhere or at one place, and with which numbers.
#pragma once

#include <functional>
#include <string_view>

#include "rewrite/space/configuration.hpp"

namespace lift {

/// Where a rule is applied; the numbers of a choice are its place, where there is one, and its parameters.
enum class RuleUse : std::uint8_t { nowhere, everywhere, at };

/// "rule NAME", the same each time.
const Key& key_of_rule(const std::string& name);
/// "tile under NAME": a decision about what a rule has made, where that is decided in another order than the
/// program without the rule.
const Key& key_under_rule(const Key& key, const std::string& rule);
/// A key of either sort by its name, if its rule has been decided about; else nullptr. `of`: any other key.
const Key* find_rule_key(std::string_view name, const std::function<const Key*(std::string_view)>& of);

}  // namespace lift
