#include "ir/text/wrap.hpp"

#include <algorithm>
#include <sstream>

namespace lift {
namespace {

constexpr std::size_t kIndent = 2;  ///< of what did not fit into a line

}  // namespace

std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string out = all.empty() ? "" : std::string(indent, ' ');
    bool empty = true;
    for (std::string word; words >> word; empty = false) {
      const std::size_t used = out.size() - (out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);
      if (!empty && used + 1 + word.size() > columns)
        out += "\n" + std::string(indent, ' ') + word;
      else
        out += (empty ? "" : " ") + word;
    }
    all += out + "\n";
  }
  return all;
}

std::string hanging(const std::string& head, const std::string& text, std::size_t at, std::size_t columns) {
  const std::string blanks(at, ' ');
  std::string lines;
  std::istringstream in(wrapped(text, columns - at));
  for (std::string line; std::getline(in, line);) lines += blanks + line + "\n";
  if (lines.empty()) return head + "\n";
  if (head.size() > at || (head.size() == at && !head.ends_with(' '))) return head + "\n" + lines;
  return head + lines.substr(head.size());
}

std::string fitted(const std::string& text, std::size_t columns) {
  if (columns == 0) return text;
  bool begun = false;
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); begun = true) {
    if (begun) all += "\n";
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    if (line.size() <= columns || blanks + kIndent >= columns) {
      all += line;
      continue;
    }
    std::string words = wrapped(line, columns - blanks, kIndent);
    words.pop_back();
    std::istringstream parts(words);
    bool first = true;
    for (std::string part; std::getline(parts, part); first = false)
      all += (first ? "" : "\n") + std::string(blanks, ' ') + part;
  }
  return all;
}

}  // namespace lift
