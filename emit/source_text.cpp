#include "emit/source_text.hpp"

#include <algorithm>
#include <string_view>

namespace lift {

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string s;
  for (const std::string& p : parts) s += (s.empty() ? "" : separator) + p;
  return s;
}

std::string wrapped(const std::string& text, int indent) {
  constexpr std::size_t columns = 110;
  const std::string first(static_cast<std::size_t>(indent) * 2, ' '), next = first + "    ";
  std::string r = first;
  std::string_view rest = text;  // lines of megabytes come of stages that are not named
  while (r.size() - (r.rfind('\n') + 1) + rest.size() > columns && rest[0] != '#') {
    const std::size_t room = columns - (r.size() - (r.rfind('\n') + 1));
    std::size_t best = 0;
    int depth = 0, best_depth = 1000, squares = 0;
    for (std::size_t i = 0; i + 2 < rest.size() && i < room; ++i) {
      if (rest[i] == '(') ++depth;
      if (rest[i] == ')') --depth;
      if (rest[i] == '[') ++squares;
      if (rest[i] == ']') --squares;
      if (rest[i] != ' ' || squares > 0 || i < 30) continue;
      const bool sum = (rest[i + 1] == '+' || rest[i + 1] == '-') && rest[i + 2] == ' ',
                 product = rest[i + 1] == '*' && rest[i + 2] == ' ';
      const bool comma = rest[i - 1] == ',';
      if (!sum && !product && !comma) continue;
      const int cost = 4 * depth + (product ? 2 : 0) - (i > room / 2 ? 3 : 0);
      if (cost <= best_depth) best = i, best_depth = cost;
    }
    if (best == 0) break;
    r.append(rest.substr(0, best)).append("\n").append(next);
    rest.remove_prefix(best + 1);
  }
  return r.append(rest);
}

namespace {

/// Text of a comment, which neither ends it nor begins another.
std::string commentable(std::string s) {
  for (const char* mark : {"*/", "/*"})
    for (std::size_t at = s.find(mark); at != std::string::npos; at = s.find(mark)) s.insert(at + 1, " ");
  return s;
}
/// A line of a comment, broken at spaces where it is too long.
std::string comment_lines(const std::string& text) {
  constexpr std::size_t columns = 100;
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  std::string r, line = "\n *", rest = text.substr(spaces);
  std::string indent(spaces + 1, ' ');
  if (rest.empty()) return line;
  while (indent.size() + rest.size() + 2 > columns) {
    std::size_t at = rest.rfind(' ', columns - indent.size() - 2);
    if (at == std::string::npos || at == 0) at = rest.find(' ', 1);
    if (at == std::string::npos) break;
    r += line + indent + rest.substr(0, at);
    rest = rest.substr(at + 1);
    indent = std::string(spaces + 5, ' ');
  }
  return r + line + indent + rest;
}

}  // namespace

std::string comment(const std::string& title, const std::vector<std::string>& lines) {
  std::string s = "/* " + title;
  for (const std::string& l : lines) s += comment_lines(commentable(l));
  return s + " */\n";
}

}  // namespace lift
