#include "emit/c_like.hpp"

#include "emit/hidden_functions.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/reserved_words.hpp"

namespace lift {

CLike::CLike(const Kernel& k)
    : k_(k), index_type_(k.wide_indices ? "long" : "int"), scopes_(1), reserved_{k.name} {
  reserved_.insert(k.sizes.begin(), k.sizes.end());
  for (const KernelArgument& a : k.arguments) reserved_.insert(a.name);
  for (const Attr& f : k.user_functions) reserved_.insert(user_name(f));
  for (const KernelArgument& a : k.arguments)
    if (a.written && a.type.is_array()) real_ = element_of(a.type).scalar();
  if (size_of(real_) < 4) real_ = i32;  // masks have lanes as wide as numbers
}

bool CLike::taken(const std::string& n) const {
  if (reserved_.count(n) || is_word(n, k_.target.value()) || is_called_by_kernels(n) || is_helper_name(n))
    return true;
  for (const Scope& s : scopes_) {
    for (const auto& [key, v] : s.indices)
      if (v == n) return true;
    for (const auto& [key, v] : s.locals)
      if (v == n) return true;
  }
  return false;
}
std::string CLike::unique(const std::string& hint) const {
  if (!taken(hint)) return hint;
  for (int i = 2;; ++i)
    if (std::string n = hint + "_" + std::to_string(i); !taken(n)) return n;
}
std::string CLike::declare(const Nat& v) {
  const NatAtom* a = variables(v).at(0);
  return scopes_.back().indices[a] = unique(a->name);
}
std::string CLike::declare_local(const Term& t) { return scopes_.back().locals[t->name] = unique(t->name); }
std::string CLike::name(const NatAtom& a) {
  if (a.computed) return "(" + index_type_ + ")" + term(computed_term(a)).in(9);
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
    if (const auto it = s->indices.find(&a); it != s->indices.end()) return it->second;
  for (const KernelArgument& arg : k_.arguments)
    if (arg.name == a.name) return *mentioned_.insert(a.name).first;
  for (const std::string& size : k_.sizes)
    if (size == a.name) return *mentioned_.insert(a.name).first;
  throw InternalError("emit: index " + a.name + " is used where it is not defined");
}
std::string CLike::local(const Term& t) const {
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
    if (const auto it = s->locals.find(t->name); it != s->locals.end()) return it->second;
  throw InternalError("emit: value " + t->name + " is used where it is not defined");
}

std::optional<std::string> CLike::remainder(const std::string&, std::int64_t, int) { return std::nullopt; }
std::optional<std::string> CLike::quotient(const std::string&, std::int64_t, int) { return std::nullopt; }

void CLike::line(const std::string& text) { out_ += wrapped(text, indent_) + "\n"; }

// ---- statements

void CLike::block(const Block& b) {
  open_scope();
  for (const Stmt& s : b) statement(s);
  close_scope();
}

void CLike::plain_loop(const For& f, const std::string& pragma) {
  const std::string lower = nat(f.lower).s, upper = nat(f.upper).in(5);
  open_scope();
  const std::string v = declare(f.var);
  if (!pragma.empty()) line(pragma);
  line("for (" + index_type_ + " " + v + " = " + lower + "; " + v + " < " + upper + "; " +
       (f.step == Nat(1) ? "++" + v : v + " += " + nat(f.step).s) + ") {");
  ++indent_;
  block(f.body);
  --indent_;
  line("}");
  close_scope();
}

void CLike::statement(const Stmt& s) {
  const auto type = [&](const Term& t) {
    return t->width > 1 ? vector_type(t->type, t->width) : c_type(t->type);
  };
  if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
  if (const auto* i = std::get_if<If>(&s.v)) {
    line("if (" + conditions(i->conditions) + ") {");
    ++indent_;
    block(i->body);
    --indent_;
    return line("}");
  }
  if (const auto* x = std::get_if<Store>(&s.v)) {
    mentioned_.insert(x->array);
    return line(store(*x, element(x->position), term(x->value).s));
  }
  if (const auto* x = std::get_if<Let>(&s.v)) {
    if (x->local->kind == TermKind::Index) {
      const std::string value = term(x->value).s;
      return line("const " + index_type_ + " " + declare(x->local->nats[0]) + " = " + value + ";");
    }
    const std::string value = term(x->value).s;
    return line("const " + type(x->local) + " " + declare_local(x->local) + " = " + value + ";");
  }
  if (const auto* x = std::get_if<Declare>(&s.v)) {
    const std::string value = term(x->value).s;
    return line(type(x->local) + " " + declare_local(x->local) + " = " + value + ";");
  }
  if (const auto* x = std::get_if<Assign>(&s.v))
    return line(local(x->local) + " = " + term(x->value).s + ";");
  if (const auto* x = std::get_if<Allocate>(&s.v))
    return line(own_array(*x, element_of(x->type).scalar(), nat(Layout({}, x->type).size()).s));
  if (const auto* x = std::get_if<Prefetch>(&s.v)) return mentioned_.insert(x->array), prefetch(*x);
  if (const auto* x = std::get_if<Barrier>(&s.v)) return barrier(*x);
  if (std::holds_alternative<Fence>(s.v)) return fence();
  if (const auto* x = std::get_if<CopyRow>(&s.v)) return copy_row(*x);
  if (const auto* x = std::get_if<First>(&s.v)) return first(*x);
  throw InternalError("emit: a launch within a kernel");
}

namespace {
[[noreturn]] void no_items(const std::string& what) {
  throw InternalError("emit: " + what + " in a kernel without work-items");
}
}  // namespace

void CLike::barrier(const Barrier&) { no_items("a barrier between work-items"); }
void CLike::fence() { throw InternalError("emit: a fence where nothing is stored past the cache"); }
void CLike::copy_row(const CopyRow&) { no_items("a row that a group copies"); }
void CLike::first(const First&) { no_items("what the first work-item does"); }

void check_target(const Kernel& k, Target target) {
  if (k.target != target)
    throw InternalError("emit: kernel " + k.name + " is spelled for " + text(target) +
                        ", and was lowered for " + (k.target ? text(*k.target) : "no target"));
}

std::string header_comment(const Kernel& k, const std::string& how) {
  std::vector<std::string> lines = k.header;
  lines.insert(lines.end(), {"", how});
  return comment(k.name, lines);
}

ArrayAccess CLike::access(const std::string& array) const {
  for (const KernelArgument& a : k_.arguments)
    if (a.name == array) return a.access;
  return ArrayAccess::Restrict;
}

std::string CLike::parameters(const std::string& array, const std::string& alone) const {
  std::vector<std::string> all;
  for (const std::string& n : k_.sizes) all.push_back("long " + n);
  for (const KernelArgument& a : k_.arguments) {
    if (a.type.is_array())
      all.push_back(array + (a.written ? "" : "const ") + element_type(element_of(a.type).scalar()) + " *" +
                    (a.access == ArrayAccess::Plain ? "" : alone) + a.name);
    else
      all.push_back(c_type(a.type.scalar()) + " " + a.name);
  }
  return joined(all);
}

namespace {

/// A user's text between braces of ours, which no comment at its end swallows.
std::string braced(const std::string& body) {
  const bool one_line = body.find("//") == std::string::npos && body.find('\n') == std::string::npos;
  return one_line ? " { " + body + " }" : " {\n" + body + "\n}";
}

}  // namespace

std::string CLike::user_functions(const std::string& qualifier) const {
  std::string s;
  for (const Attr& f : k_.user_functions) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < user_types(f).size(); ++i)
      all.push_back(c_type(user_types(f)[i].scalar()) + " " + user_parameters(f)[i]);
    s += qualifier + c_type(user_result(f).scalar()) + " " + user_name(f) + "(" +
         (all.empty() ? "void" : joined(all)) + ")" + braced(user_body(f)) + "\n";
  }
  return s;
}

}  // namespace lift
