// What the fuzzer does with each text.
#pragma once

#include <string>

namespace lift::test {

/// Whether the text was parsed, as a file or as an expression. Aborts when parsing what is printed gives
/// something else.
bool parse_and_print(const std::string& text);

}  // namespace lift::test
