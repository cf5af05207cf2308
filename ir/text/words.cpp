#include "ir/text/words.hpp"

#include <algorithm>
#include <map>

#include "ir/text/lex.hpp"

namespace lift {
namespace {

/// Ops that are written with signs or words of their own, or not at all.
bool has_notation_of_its_own(Op op) {
  switch (op) {
    case Op::Param:
    case Op::Bound:
    case Op::Literal:
    case Op::Hole:
    case Op::Lambda:
    case Op::Apply:
    case Op::Let:
    case Op::Tuple:
    case Op::Get:
    case Op::At:
    case Op::Cast:
    case Op::UserFun:
      return true;
    default:
      return false;
  }
}

const std::map<std::string, Op>& table() {
  static const std::map<std::string, Op> ops = [] {
    std::map<std::string, Op> m;
    for (int i = 0; i < static_cast<int>(Op::Count); ++i)
      if (const Op op = static_cast<Op>(i); !has_notation_of_its_own(op)) m.emplace(text(op), op);
    return m;
  }();
  return ops;
}

constexpr const char* kWords[] = {"let", "in",  "true", "false", "mod",  "inf",  "nan",
                                  "f32", "f64", "i32",  "bool",  "iota", "take", "positions"};

}  // namespace

std::optional<Primitive> primitive(const std::string& name) {
  if (const auto it = table().find(name); it != table().end()) return Primitive{it->second, 1};
  if (name.size() < 2 || name.back() < '2' || name.back() > '9') return std::nullopt;
  const auto it = table().find(name.substr(0, name.size() - 1));
  if (it == table().end()) return std::nullopt;
  const Op op = it->second;
  const bool ranked = is_map(op) || is_update(op) || op == Op::Zip || op == Op::Unzip || op == Op::Split ||
                      op == Op::Join || op == Op::Slide || op == Op::Pad || op == Op::Drop;
  return ranked ? std::optional(Primitive{op, name.back() - '0'}) : std::nullopt;
}

const std::vector<std::string>& primitive_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> v;
    for (const auto& [name, op] : table()) v.push_back(name);
    for (const char* word : {"iota", "take", "positions"}) v.emplace_back(word);
    return v;
  }();
  return names;
}

bool is_reserved(const std::string& name) {
  return primitive(name) || std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

std::string quoted(const std::string& name) {
  return is_plain_name(name) && !is_reserved(name) ? name : "`" + name + "`";
}

}  // namespace lift
