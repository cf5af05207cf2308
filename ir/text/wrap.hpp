// Text in lines of a given width.
#pragma once

#include <string>

namespace lift {

/// Words in lines of at most `columns` characters, of which those after the first begin with `indent` blanks.
/// Lines of the text itself stay apart.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent = 0);
/// The head, and from column `at` on the text: beside it, or below where it is too long.
std::string hanging(const std::string& head, const std::string& text, std::size_t at, std::size_t columns);

/// Lines longer than `columns` (0: none is) go on in further ones, which are indented more than they are.
std::string fitted(const std::string& text, std::size_t columns);

}  // namespace lift
