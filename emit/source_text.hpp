// Source text, whatever it says: lists, lines of a bounded length, comments.
#pragma once

#include <string>
#include <vector>

namespace lift {

std::string joined(const std::vector<std::string>& parts, const std::string& separator = ", ");

/// `text` at an indentation, broken where it is longer than 110 columns: before the operators, or after the
/// commas, that the fewest parentheses enclose.
std::string wrapped(const std::string& text, int indent);

/// A comment: what it is about and, in lines of their own, what there is to say.
std::string comment(const std::string& title, const std::vector<std::string>& lines);

}  // namespace lift
