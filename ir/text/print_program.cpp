// Programs as .lift files.

#include <functional>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/words.hpp"

namespace lift {
namespace {

std::string in_quotes(const std::string& text) {
  std::string s = "\"";
  for (const char c : text)
    s += c == '\n' ? "\\n" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
  return s + "\"";
}

std::string size_line(const NatAtom& a) {
  std::string s = "size " + a.name, conditions;
  if (!(a.lower == Nat(1))) conditions += " " + a.name + " >= " + a.lower.str();
  if (a.modulus > 1)
    conditions += (conditions.empty() ? " " : ", ") + a.name + " mod " + std::to_string(a.modulus) + " = " +
                  std::to_string(a.residue);
  return s + (conditions.empty() ? "" : " where" + conditions) + "\n";
}

std::string user_line(const Attr& a) {
  std::string parameters;
  const auto types = user_types(a);
  for (std::size_t i = 0; i < types.size(); ++i)
    parameters += (i > 0 ? ", " : "") + quoted(user_parameters(a)[i]) + " : " + types[i].str();
  return "user " + quoted(user_name(a)) + "(" + parameters + ") : " + user_result(a).str() + " = " +
         in_quotes(user_body(a)) + "\n";
}

bool same_range(const Expr& a, const Expr& b) {
  if (!is_index_param(a) || !is_index_param(b)) return is_index_param(a) == is_index_param(b);
  return index_lower(a) == index_lower(b) && index_upper(a) == index_upper(b);
}

std::string argument_lines(const std::vector<Expr>& arguments) {
  std::string lines, names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Expr& a = arguments[i];
    const bool index = is_index_param(a);
    names += (names.empty() ? "" : ", ") + quoted(param_name(a));
    const bool same =
        i + 1 < arguments.size() && arguments[i + 1].type() == a.type() && same_range(arguments[i + 1], a);
    if (same) continue;
    lines += index ? "index " + names + " in " + index_lower(a).str() + " .. " + index_upper(a).str()
                   : "param " + names + " : " + a.type().str();
    lines += "\n";
    names.clear();
  }
  return lines;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string s;
  for (const std::string& n : names) s += (s.empty() ? "" : ", ") + quoted(n);
  return s;
}

}  // namespace

std::string print_program(const Program& p) {
  std::string s = "program " + quoted(p.name) + "\n\n";
  Names names = names_of(p.body);
  for (const Expr& a : p.arguments)
    for (const auto& [n, size] : names_of(a).sizes) names.sizes.emplace(n, size);
  std::set<std::string> declared;
  const std::function<void(const NatAtom&)> declare = [&](const NatAtom& size) {
    for (const NatAtom* v : variables(size.lower)) declare(*v);  // what it is at least comes before
    if (declared.insert(size.name).second) s += size_line(size);
  };
  for (const auto& [n, size] : names.sizes)
    if (!variables(size)[0]->bounded_above) declare(*variables(size)[0]);  // others are index parameters
  s += argument_lines(p.arguments);
  if (!p.overwritable.empty()) s += "overwrite " + joined_names(p.overwritable) + "\n";
  for (const auto& [n, attr] : names.functions) s += user_line(attr);
  return s + "\nresult" + (p.results.empty() ? "" : " " + joined_names(p.results)) + " =\n" + pretty(p.body) +
         "\n";
}

}  // namespace lift
