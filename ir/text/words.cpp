#include "ir/text/words.hpp"

#include <algorithm>
#include <map>

#include "ir/expr/attributes.hpp"
#include "ir/text/lex.hpp"

namespace lift {
namespace {

const std::map<std::string, Op>& table() {
  static const auto& ops = *new std::map<std::string, Op>([] {
    std::map<std::string, Op> m;
    for (int i = 0; i < static_cast<int>(Op::Count); ++i)
      if (const Op op = static_cast<Op>(i); row(op).notation.form != Notation::Own) m.emplace(text(op), op);
    return m;
  }());
  return ops;
}

constexpr const char* kWords[] = {"let", "in",  "true", "false", "mod",  "inf",  "nan",  "f32",
                                  "f64", "i32", "i64",  "u8",    "bool", "iota", "take", "positions"};

}  // namespace

std::optional<Primitive> primitive(const std::string& name) {
  if (const auto it = table().find(name); it != table().end()) return Primitive{it->second, 1};
  if (name.size() < 2 || name.back() < '2' || name.back() > '9') return std::nullopt;
  const auto it = table().find(name.substr(0, name.size() - 1));
  if (it == table().end()) return std::nullopt;
  return is_ranked(it->second) ? std::optional(Primitive{it->second, name.back() - '0'}) : std::nullopt;
}

const std::vector<std::string>& primitive_names() {
  static const auto& names = *new std::vector<std::string>([] {
    std::vector<std::string> v;
    for (const auto& [name, op] : table()) v.push_back(name);
    for (const char* word : {"iota", "take", "positions"}) v.emplace_back(word);
    return v;
  }());
  return names;
}

std::vector<std::string> names_like(const std::string& name) {
  std::vector<std::string> names;
  if (name.size() > 1 && name.back() >= '2' && name.back() <= '9')
    for (const auto& [n, op] : table())
      if (is_ranked(op)) names.push_back(n + name.back());
  names.insert(names.end(), primitive_names().begin(), primitive_names().end());
  return names;
}

std::string written_now(const std::string& name) {
  static const auto& bands = *new std::map<std::string, Band>{
      {"in_step", {Band::skewed}},
      {"in_step_team", {Band::skewed, Band::team}},
      {"in_step_doacross", {Band::skewed, Band::turns}},
      {"in_tiles", {Band::overlapped}},
      {"in_phases", {Band::phases}},
  };
  const auto it = bands.find(name);
  return it == bands.end() ? "" : words(it->second);
}

std::vector<std::string> reserved_words() {
  std::vector<std::string> words(std::begin(kWords), std::end(kWords));
  for (const auto& [name, op] : table()) words.push_back(name);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());  // mod is of lengths, and of numbers
  return words;
}

bool is_reserved(const std::string& name) {
  return primitive(name) || std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

std::string quoted(const std::string& name) {
  return is_plain_name(name) && !is_reserved(name) ? name : "`" + name + "`";
}

}  // namespace lift
