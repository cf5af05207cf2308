// Several emitted kernels in one source, each helper once: compilers start more slowly than they compile.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace lift::test {

/// The declarations of a source: each begins at the beginning of a line, outside braces and conditional
/// parts.
inline std::vector<std::string> declarations(const std::string& source) {
  std::vector<std::string> parts;
  std::string part, line;
  std::istringstream in(source);
  for (int open = 0; std::getline(in, line);) {
    const bool begins = open == 0 && !line.empty() && line[0] != ' ' && line[0] != '}';
    if (begins && !part.empty()) parts.push_back(std::move(part)), part.clear();
    if (!line.empty()) part += line + "\n";
    for (const char c : line) open += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (line.starts_with("#if")) ++open;
    if (line.starts_with("#endif")) --open;
  }
  parts.push_back(part);
  return parts;
}

/// Adds what `code` does not hold yet.
class Together {
 public:
  void add(const std::string& source) {
    for (const std::string& d : declarations(source))
      if (seen_.insert(d).second) code_ += d;
  }
  void add_line(const std::string& line) { code_ += line + "\n"; }
  const std::string& code() const { return code_; }

 private:
  std::string code_;
  std::set<std::string> seen_;
};

}  // namespace lift::test
