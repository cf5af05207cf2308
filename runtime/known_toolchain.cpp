#include "runtime/known_toolchain.hpp"

#include <cstdlib>
#include <sstream>

#include "ir/number_text.hpp"

namespace lift {
namespace {

constexpr const char* kSuffix = ".toolchain";

std::string key_of(const std::string& compiler, const std::string& language) {
  const char* chosen = std::getenv(language == "c" ? "CC" : "CXX");
  return hash_text("toolchain\n" + language + '\n' + compiler + '\n' + (chosen != nullptr ? chosen : ""));
}

/// The number of words, the words, the name, a line each, then what it says to --version.
std::string text_of(const Toolchain& t) {
  std::string text = std::to_string(t.command.size()) + '\n';
  for (const std::string& word : t.command) text += word + '\n';
  return text + t.name + '\n' + t.version;
}

}  // namespace

void remember_toolchain(const Vault& vault, const std::string& compiler, const std::string& language,
                        const Toolchain& found) {
  const std::string key = key_of(compiler, language), text = text_of(found);
  if (vault.find(key, kSuffix) != text) vault.keep(key, kSuffix, text);
}

std::optional<Toolchain> remembered_toolchain(const Vault& vault, const std::string& compiler,
                                              const std::string& language) {
  const auto text = vault.find(key_of(compiler, language), kSuffix);
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  std::string line;
  std::getline(in, line);
  Toolchain t;
  for (int words = read_number<int>(line).value_or(0); words > 0 && std::getline(in, line); --words)
    t.command.push_back(line);
  std::getline(in, t.name);
  t.version.assign(std::istreambuf_iterator<char>(in), {});
  if (t.command.empty() || t.version.empty()) return std::nullopt;
  return t;
}

}  // namespace lift
