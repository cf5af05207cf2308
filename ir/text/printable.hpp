// Text of others (names of files, sources, what compilers say) on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lift {

/// The text with control characters other than newline and tab spelled out (\x1b): a terminal acts on none.
std::string printable(std::string_view text);

}  // namespace lift
