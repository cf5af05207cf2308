// Names that a person may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lift {

/// Levenshtein distance.
std::size_t edits(std::string_view a, std::string_view b);
/// The one of `names` that `text` is likely a slip of; "" when none is near.
std::string nearest(std::string_view text, const std::vector<std::string>& names);

}  // namespace lift
