#include "emit/c_like.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/reserved_words.hpp"

namespace lift {
namespace {

bool power_of_two(std::int64_t m) { return m > 0 && (m & (m - 1)) == 0; }

}  // namespace

CLike::CLike(const Kernel& k)
    : k_(k), index_type_(k.wide_indices ? "long" : "int"), scopes_(1), reserved_{k.name} {
  reserved_.insert(k.sizes.begin(), k.sizes.end());
  for (const KernelArgument& a : k.arguments) reserved_.insert(a.name);
  for (const Attr& f : k.user_functions) reserved_.insert(user_name(f));
  for (const KernelArgument& a : k.arguments)
    if (a.written && a.type.is_array()) real_ = element_of(a.type).scalar();
  if (real_ == boolean) real_ = i32;  // masks have lanes as wide as numbers
}

std::string CLike::scalar_type(Scalar s) const {
  switch (s) {
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    case Scalar::i32:
    case Scalar::boolean:
      break;
  }
  return "int";
}

namespace {

/// Names that types and helper functions of the emitted text may have: f64x4, load_f64x4, mask4, min_f64,
/// index_mod.
bool is_helper_name(const std::string& n) {
  const auto digits_from = [&](std::size_t at) {
    return at < n.size() && n.find_first_not_of("0123456789", at) == std::string::npos;
  };
  if (n.starts_with("mask") && digits_from(4)) return true;
  for (const char* f : {"div", "mod", "min", "max"})
    if (n == std::string("index_") + f) return true;
  for (const char* t : {"f32", "f64", "i32"}) {
    const std::size_t at = n.rfind(t);
    if (at == std::string::npos || (at > 0 && n[at - 1] != '_')) continue;
    const std::string rest = n.substr(at + 3);
    if (rest.empty() || rest.ends_with("_any") || (rest[0] == 'x' && digits_from(at + 4))) return true;
  }
  return false;
}

}  // namespace

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
    if (const std::string n = hint + "_" + std::to_string(i); !taken(n)) return n;
}
std::string CLike::declare(const Nat& v) {
  const NatAtom* a = variables(v).at(0);
  return scopes_.back().indices[a] = unique(a->name);
}
std::string CLike::declare_local(const Term& t) { return scopes_.back().locals[t->name] = unique(t->name); }
std::string CLike::name(const NatAtom& a) const {
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
    if (const auto it = s->indices.find(&a); it != s->indices.end()) return it->second;
  for (const KernelArgument& arg : k_.arguments)
    if (arg.name == a.name) return a.name;
  for (const std::string& size : k_.sizes)
    if (size == a.name) return a.name;
  throw InternalError("emit: index " + a.name + " is used where it is not defined");
}
std::string CLike::local(const Term& t) const {
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
    if (const auto it = s->locals.find(t->name); it != s->locals.end()) return it->second;
  throw InternalError("emit: value " + t->name + " is used where it is not defined");
}

void CLike::line(const std::string& text) { out_ += wrapped(text, indent_) + "\n"; }

// ---- index arithmetic

Text index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name,
                std::set<std::string>& helpers) {
  const auto nat = [&](const Nat& x) { return index_text(x, name, helpers); };
  if (const auto c = n.constant()) return {std::to_string(*c), *c < 0 ? 8 : 9};
  std::vector<NatTerm> ts(terms(n).begin(), terms(n).end());
  const auto magnitude = [](const NatTerm& t) { return t.coefficient < 0 ? -t.coefficient : t.coefficient; };
  std::stable_sort(ts.begin(), ts.end(), [&](const NatTerm& a, const NatTerm& b) {
    if (a.factors.empty() != b.factors.empty()) return b.factors.empty();  // the constant last
    if ((a.coefficient < 0) != (b.coefficient < 0))
      return b.coefficient < 0;  // what is subtracted after the rest
    if (magnitude(a) != magnitude(b)) return magnitude(a) > magnitude(b);  // outer dimensions first
    return a.factors[0].atom->id > b.factors[0].atom->id;                  // row + i
  });
  std::string s;
  for (const NatTerm& t : ts) {
    s += s.empty() ? (t.coefficient < 0 ? "-" : "") : (t.coefficient < 0 ? " - " : " + ");
    std::string product;
    if (magnitude(t) != 1 || t.factors.empty()) product = std::to_string(magnitude(t));
    for (const NatFactor& f : t.factors)
      for (int p = 0; p < f.power; ++p) {
        const NatAtom& a = *f.atom;
        Text x{"", 9};
        if (a.kind == AtomKind::Var) {
          x.s = name(a);
        } else if (a.kind == AtomKind::Min || a.kind == AtomKind::Max) {
          const std::string h = a.kind == AtomKind::Min ? "min" : "max";
          helpers.insert(h);
          x.s = "index_" + h + "(" + nat(a.a).s + ", " + nat(a.b).s + ")";
        } else {
          const auto m = a.b.constant();
          const bool division = a.kind == AtomKind::FloorDiv;
          if (!division && m && power_of_two(*m))
            x = {nat(a.a).in(7) + " & " + std::to_string(*m - 1), 3};
          else if (Facts().proves_nonnegative(a.a))
            x = {nat(a.a).in(7) + (division ? " / " : " % ") + nat(a.b).in(8), 7};
          else
            helpers.insert(division ? "div" : "mod"), x.s = std::string("index_") +
                                                            (division ? "div" : "mod") + "(" + nat(a.a).s +
                                                            ", " + nat(a.b).s + ")";
          if (n == atom_nat(a)) return x;
        }
        product += (product.empty() ? "" : "*") + x.in(8);
      }
    s += product;
  }
  return {s, ts.size() > 1 ? 6
                           : (ts[0].coefficient < 0 ? 8
                                                    : (ts[0].coefficient == 1 && ts[0].factors.size() == 1 &&
                                                               ts[0].factors[0].power == 1
                                                           ? 9
                                                           : 7))};
}

Text CLike::nat(const Nat& n) {
  return index_text(
      n, [this](const NatAtom& a) { return name(a); }, helpers_);
}

Text CLike::condition(const NatCond& c) {
  Nat left = 0, right = 0;  // what is subtracted goes to the other side
  for (const NatTerm& t : terms(c.a)) {
    Nat one = t.coefficient;
    for (const NatFactor& f : t.factors)
      for (int i = 0; i < f.power; ++i) one = one * atom_nat(*f.atom);
    (t.coefficient > 0 ? left : right) = (t.coefficient > 0 ? left + one : right - one);
  }
  const char* const relation[] = {" >= ", " == ", " != "};
  std::string r = relation[static_cast<int>(c.kind)];
  if (left.is_constant() && !right.is_constant()) {
    std::swap(left, right);
    if (c.kind == NatCond::Kind::NonNegative) r = " <= ";
  }
  return {nat(left).in(5) + r + nat(right).in(5), 4};
}

// ---- values

std::string CLike::floating(double v, Scalar s) const {
  char text[40];
  if (s == f32) v = static_cast<double>(static_cast<float>(v));
  if (std::isinf(v)) return (v < 0 ? "-" : "") + infinity(s);
  if (std::isnan(v)) return not_a_number(s);
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    if (s == f32 ? std::strtof(text, nullptr) == static_cast<float>(v) : std::strtod(text, nullptr) == v)
      break;
  }
  std::string r = text;
  if (r.find_first_of(".e") == std::string::npos) r += ".0";
  return r + (s == f32 ? "f" : "");
}

Text CLike::term(const Term& t) {
  const int w = t->width;
  const auto vec =
      [&](const Term& x,
          int minimum) -> std::string {  // an operand of vector arithmetic where a vector is needed
    const Text e = term(x);
    return x->width == w ? e.in(minimum) : splat(x->type, w, e.s);
  };
  switch (t->kind) {
    case TermKind::Constant:
      if (is_float(t->type))
        return {floating(t->number, t->type), std::signbit(t->number) && !std::isnan(t->number) ? 8 : 9};
      return {std::to_string(static_cast<long long>(t->number)), t->number < 0 ? 8 : 9};
    case TermKind::Index: {
      const Text n = nat(t->nats[0]);
      return n;
    }
    case TermKind::Load:
      return {load(t->name, nat(t->nats.at(0)).s, t->type, w), 9};
    case TermKind::Argument:
      return {t->name, 9};
    case TermKind::Local:
      return {local(t), 9};
    case TermKind::Compare:
      return condition(t->conds[0]);
    case TermKind::Lanes: {
      std::vector<std::string> lanes;
      for (const NatCond& c : t->conds) lanes.push_back("-(" + condition(c).s + ")");
      return {vector_literal(boolean, w, lanes), 9};
    }
    case TermKind::LaneIndex: {
      std::vector<std::string> lanes;
      for (int l = 0; l < w; ++l) {
        const Nat n = t->nats[0] + l * t->nats[1];
        lanes.push_back(is_float(t->type) && n.is_constant()
                            ? floating(static_cast<double>(*n.constant()), t->type)
                            : "(" + scalar_type(t->type) + ")(" + nat(n).s + ")");
      }
      return {vector_literal(t->type, w, lanes), 9};
    }
    case TermKind::Shuffle: {
      if (t->args[0]->width > 1) return {shuffle(t), 9};
      if (t->args.size() == 1) return {splat(t->type, w, term(t->args[0]).s), 9};
      std::vector<std::string> lanes;
      for (const int l : t->lanes) {
        const Text element = term(t->args[static_cast<std::size_t>(l)]);
        lanes.push_back(t->type == boolean ? "-(" + element.s + ")" : element.s);  // lanes that hold are -1
      }
      return {vector_literal(t->type, w, lanes), 9};
    }
    case TermKind::Call: {
      std::vector<std::string> args;
      for (const Term& a : t->args)
        args.push_back(w > 1 && a->width == 1 ? splat(a->type, w, term(a).s) : term(a).s);
      return {user_call(t, args), 9};
    }
    case TermKind::Apply:
      break;
  }
  const auto binary = [&](const char* op, int precedence, bool commutes) -> Text {
    const auto operand = [&](const Term& x,
                             int minimum) {  // beside a vector of integers, an index is one too
      if (w > 1 && x->width == 1 && x->type == boolean) return splat(boolean, w, term(x).s);
      return w > 1 && x->width == 1 && x->kind == TermKind::Index
                 ? "(" + scalar_type(x->type) + ")" + term(x).in(9)
                 : term(x).in(minimum);
    };
    return {operand(t->args[0], precedence) + op + operand(t->args[1], precedence + (commutes ? 0 : 1)),
            precedence};
  };
  const auto compared = [&](const char* op) -> Text {
    const Text c = binary(op, 5, false);
    return w > 1 ? Text{mask(t->args[t->args[0]->width > 1 ? 0 : 1]->type, w, c.s), 9} : Text{c.s, 4};
  };
  const auto called = [&]() -> Text {
    std::vector<std::string> args;
    for (const Term& a : t->args) args.push_back(vec(a, 1));
    return {math(t->op, t->type, w, args), 9};
  };
  const auto either = [&]() -> Text {  // && within || in parentheses, as compilers ask for
    const auto operand = [&](const Term& x) {
      return term(x).in(x->kind == TermKind::Apply && x->op == Op::Or ? 2 : 4);
    };
    return {operand(t->args[0]) + " || " + operand(t->args[1]), 2};
  };
  switch (t->op) {
    case Op::Add:
      return binary(" + ", 6, false);
    case Op::Sub:
      return binary(" - ", 6, false);
    case Op::Mul:
      return binary(" * ", 7, false);
    case Op::Div:
      return is_float(t->type) ? binary(" / ", 7, false) : called();
    case Op::Lt:
      return compared(" < ");
    case Op::Le:
      return compared(" <= ");
    case Op::Eq:
      return compared(" == ");
    case Op::Ne:
      return compared(" != ");
    case Op::And:
      return w > 1 ? Text{"(" + vec(t->args[0], 8) + " & " + vec(t->args[1], 8) + ")", 9}
                   : binary(" && ", 3, true);
    case Op::Or:
      return w > 1 ? Text{"(" + vec(t->args[0], 8) + " | " + vec(t->args[1], 8) + ")", 9} : either();
    case Op::Not:
      return {(w > 1 ? "~" : "!") + term(t->args[0]).in(8), 8};
    case Op::Neg:
      return {"-" + term(t->args[0]).in(9), 8};
    case Op::Select:
      if (t->args[0]->width > 1)
        return {blend(t->type, w, term(t->args[0]).s, vec(t->args[1], 1), vec(t->args[2], 1)), 9};
      if (w > 1) return {term(t->args[0]).in(2) + " ? " + vec(t->args[1], 2) + " : " + vec(t->args[2], 2), 1};
      return {term(t->args[0]).in(2) + " ? " + term(t->args[1]).in(2) + " : " + term(t->args[2]).in(1), 1};
    case Op::Cast:
      if (t->type == boolean)
        return w > 1 ? Text{mask(t->args[0]->type, w, term(t->args[0]).in(5) + " != 0"), 9}
                     : Text{term(t->args[0]).in(5) + " != 0", 4};
      if (w > 1 && t->args[0]->type == boolean)
        return {"-" + convert(t->type, w, term(t->args[0]).s), 8};  // lanes that hold are -1
      if (w > 1) return {convert(t->type, w, term(t->args[0]).s), 9};
      return {"(" + scalar_type(t->type) + ")" + term(t->args[0]).in(9), 8};
    case Op::Min:
    case Op::Max:
    case Op::Abs:
    case Op::Sqrt:
    case Op::Mod:
      return called();
    default:
      throw InternalError("emit: no spelling of " + std::string(text(t->op)));
  }
}

std::string CLike::conditions(const std::vector<Term>& cs) {
  std::string s;
  for (const Term& c : cs) s += (s.empty() ? "" : " && ") + term(c).in(cs.size() > 1 ? 4 : 0);
  return s;
}

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
    return t->width > 1 ? vector_type(t->type, t->width) : scalar_type(t->type);
  };
  if (const auto* f = std::get_if<For>(&s.v)) return loop(*f);
  if (const auto* i = std::get_if<If>(&s.v)) {
    line("if (" + conditions(i->conditions) + ") {");
    ++indent_;
    block(i->body);
    --indent_;
    return line("}");
  }
  if (const auto* x = std::get_if<Store>(&s.v))
    return line(store(*x, nat(x->position.at(0)).s, term(x->value).s));
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
    return line(
        private_array(x->name, element_of(x->type).scalar(), nat(Layout({}, x->type).size()).s, x->space));
  if (const auto* x = std::get_if<Prefetch>(&s.v)) return prefetch(*x);
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

std::string wrapped(const std::string& text, int indent) {
  constexpr std::size_t columns = 110;
  const std::string first(static_cast<std::size_t>(indent) * 2, ' '), next = first + "    ";
  std::string r = first, rest = text;
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
    r += rest.substr(0, best) + "\n" + next;
    rest = rest.substr(best + 1);
  }
  return r + rest;
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

void check_target(const Kernel& k, Target target) {
  if (k.target != target)
    throw InternalError("emit: kernel " + k.name + " is spelled for " + text(target) +
                        ", and was lowered for " + (k.target ? text(*k.target) : "no target"));
}

std::string header_comment(const Kernel& k, const std::string& how) {
  std::string s = "/* " + k.name;
  for (const std::string& l : k.header) s += comment_lines(commentable(l));
  return s + "\n *" + comment_lines(how) + " */\n";
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string s;
  for (const std::string& p : parts) s += (s.empty() ? "" : separator) + p;
  return s;
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
      all.push_back(scalar_type(a.type.scalar()) + " " + a.name);
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
      all.push_back(scalar_type(user_types(f)[i].scalar()) + " " + user_parameters(f)[i]);
    s += qualifier + scalar_type(user_result(f).scalar()) + " " + user_name(f) + "(" +
         (all.empty() ? "void" : joined(all)) + ")" + braced(user_body(f)) + "\n";
  }
  return s;
}

std::string index_helpers(const std::set<std::string>& helpers, const std::string& q,
                          const std::string& index) {
  std::string s;
  if (helpers.count("floor_div") || helpers.count("floor_mod"))
    s += q +
         "int floor_div(int a, int b) {  /* rounds down; by 0 it gives 0 */\n"
         "  if (b == 0) return 0;\n"
         "  if (b == -1) return (int)(0u - (unsigned)a);\n"
         "  const int q = a / b;\n"
         "  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;\n"
         "}\n";
  if (helpers.count("floor_mod"))
    s += q + "int floor_mod(int a, int b) { return b == -1 ? 0 : a - b * floor_div(a, b); }\n";
  const auto function = [&](const std::string& name, const std::string& b, const std::string& body) {
    if (helpers.count(name))
      s += q + index + " index_" + name + "(" + index + " a, " + index + " " + b + ") { " + body + "\n";
  };
  function("div", "m", "return a >= 0 ? a / m : -((m - 1 - a) / m); }  /* rounds down */");
  function("mod", "m", "const " + index + " r = a % m; return r < 0 ? r + m : r; }");
  function("min", "b", "return a < b ? a : b; }");
  function("max", "b", "return a > b ? a : b; }");
  return s;
}

}  // namespace lift
