// The keys of decisions by rules of one's own: nowhere, everywhere or at one place, and with which numbers.
#pragma once

#include <string_view>

#include "rewrite/space/configuration.hpp"

namespace lift {

/// Where a rule is applied; the numbers of a choice are its place, where there is one, and its parameters.
enum class RuleUse : std::uint8_t { nowhere, everywhere, at };

/// "rule NAME", the same each time.
const Key& key_of_rule(const std::string& name);
/// The one of this name, if it has been asked for; else nullptr.
const Key* find_rule_key(std::string_view name);

}  // namespace lift
