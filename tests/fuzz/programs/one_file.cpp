#include "tests/fuzz/programs/one_file.hpp"

#include <cctype>
#include <vector>

namespace lift::fuzz {
namespace {

/// What a helper's declaration declares: the word before the first bracket that is no attribute's.
std::string declared(const std::string& d) {
  std::size_t end = d.find(d.starts_with("typedef") ? " __attribute__" : "(");
  if (end == std::string::npos) return "";
  std::size_t begin = end;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(d[begin - 1])) != 0 || d[begin - 1] == '_'))
    --begin;
  return d.substr(begin, end - begin);
}

}  // namespace

bool OneFile::takes(const std::string& source) {
  const std::vector<std::string> all = test::declarations(source);
  for (const std::string& d : all) {
    const auto at = known_.find(declared(d));
    if (at != known_.end() && at->second != d) return false;
  }
  for (const std::string& d : all)
    if (const std::string name = declared(d); !name.empty()) known_.emplace(name, d);
  together_.add(source);
  return true;
}

}  // namespace lift::fuzz
