// Text of users that is printed into C: names, and the bodies of user functions. Checked, so that what is
// printed around it stays what it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lift {

/// Letters, digits and _, not a digit first.
bool is_c_identifier(std::string_view text);

/// Why a text cannot stand between the braces of a function in C, C++ and OpenCL C; nothing when it can:
/// outside of comments, strings and characters its brackets are balanced, none of these is open at its end,
/// and nothing in it is for the preprocessor or the lexer's first phases (directives, trigraphs, digraphs,
/// lines that go on behind a backslash). It may do what a function may do: it is to be trusted before it is
/// run.
std::optional<std::string> why_no_function_body(std::string_view text);

}  // namespace lift
