#include "ir/text/print_names.hpp"

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/lex.hpp"
#include "ir/text/words.hpp"

namespace lift {
namespace {

/// Uses of variables from outside a function's body. Depth: lambdas between the body and the use.
struct Uses {
  std::vector<std::set<std::vector<std::int64_t>>>
      own;                       ///< of each parameter: the components asked for, as far as they are
  std::set<std::size_t> outer;   ///< binders around the function, 0 the nearest
  std::set<std::string> params;  ///< and sizes, and C functions
};

void note_sizes(const Nat& n, std::set<std::string>& to) {
  for (const NatAtom* a : variables(n)) to.insert(a->name);
}
void note_sizes(const Type& t, std::set<std::string>& to) {
  if (t.is_array()) note_sizes(t.length(), to), note_sizes(t.element(), to);
  if (t.is_tuple() || t.is_function())
    for (const Type& p : t.parts()) note_sizes(p, to);
  if (t.is_function()) note_sizes(t.result(), to);
}

class UseFinder {
 public:
  explicit UseFinder(const Expr& lambda) {
    uses_.own.resize(parameter_types(lambda).size());
    go(lambda.child(0), 0);
  }
  const Uses& uses() const { return uses_; }

 private:
  void go(const Expr& e, std::int64_t depth) {
    if (!seen_.emplace(e.id(), depth).second) return;
    if (e.is(Op::Param)) uses_.params.insert(param_name(e));
    if (e.is(Op::UserFun)) uses_.params.insert(user_name(e));
    for (const Nat& n : e.attr().nats) note_sizes(n, uses_.params);
    if (e.is(Op::Lambda))
      for (const Type& t : parameter_types(e)) note_sizes(t, uses_.params);
    std::vector<std::int64_t> path;
    Expr x = e;
    for (; x.is(Op::Get); x = x.child(0)) path.insert(path.begin(), tuple_index(x));
    if (x.is(Op::Bound)) return variable(x, depth, std::move(path));
    for (const Expr& c : x.children()) go(c, depth + (x.is(Op::Lambda) ? 1 : 0));
    if (x.is(Op::Param)) uses_.params.insert(param_name(x));
  }
  void variable(const Expr& x, std::int64_t depth, std::vector<std::int64_t> path) {
    const std::int64_t away = bound_depth(x) - depth;
    const auto i = static_cast<std::size_t>(bound_index(x));
    if (away == 0 && i < uses_.own.size()) uses_.own[i].insert(std::move(path));
    if (away > 0) uses_.outer.insert(static_cast<std::size_t>(away - 1));
  }
  Uses uses_;
  std::set<std::pair<std::uint32_t, std::int64_t>> seen_;
};

}  // namespace

BoundNames::BoundNames(const Expr& whole) {
  for (const Expr& p : params_of(whole)) params_.insert(param_name(p));
}

std::string BoundNames::enter(const Expr& lambda, const std::optional<Expr>& source,
                              const std::vector<std::string>& wanted, const std::vector<Type>& given) {
  const UseFinder finder(lambda);
  const Uses& uses = finder.uses();
  meant_ = uses.params;
  for (const std::size_t away : uses.outer)
    if (away < scopes_.size())
      for (const Name& n : scopes_[scopes_.size() - 1 - away]) all_names(n, meant_);
  const auto& types = parameter_types(lambda);
  const Name from = source ? hint(*source) : Name{};
  Expr windows = source.value_or(Expr());
  while (windows && is_identity(windows.op())) windows = windows.child(0);
  Scope scope;
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string base = i < wanted.size()                                         ? wanted[i]
                             : windows && windows.is(Op::Slide) && types[i].is_array() ? "w"
                                                                                       : "";
    Path path;
    scope.push_back(named(types[i], i == 0 ? from : Name{}, base, path, uses.own[i]));
    const std::string name = spelled(scope.back(), true);
    text += (i ? " " : "") +
            (i < given.size() && given[i] == types[i] ? name : "(" + name + " : " + types[i].str() + ")");
  }
  scopes_.push_back(std::move(scope));
  return text;
}

bool BoundNames::is_free(const std::string& name) const {
  std::set<std::string> taken = params_;
  for (const Scope& s : scopes_)
    for (const Name& n : s) all_names(n, taken);
  return taken.count(name) == 0 && !is_reserved(name) && is_plain_name(name);
}

std::optional<std::string> BoundNames::of(const Expr& e) const {
  const Name* n = find(e);
  return n ? std::optional(spelled(*n, false)) : std::nullopt;
}

const BoundNames::Name* BoundNames::find(const Expr& e) const {
  if (e.is(Op::Get)) {
    const Name* whole = find(e.child(0));
    const auto i = static_cast<std::size_t>(tuple_index(e));
    return whole && whole->apart && i < whole->parts.size() ? &whole->parts[i] : nullptr;
  }
  if (!e.is(Op::Bound)) return nullptr;
  const auto depth = static_cast<std::size_t>(bound_depth(e)), i = static_cast<std::size_t>(bound_index(e));
  if (depth >= scopes_.size()) return nullptr;
  const Scope& s = scopes_[scopes_.size() - 1 - depth];
  return i < s.size() ? &s[i] : nullptr;
}

/// What elements of an array may be called, component by component.
BoundNames::Name BoundNames::hint(const Expr& e) const {
  if (const Name* n = find(e)) return *n;
  switch (e.op()) {
    case Op::Param:
      return {param_name(e), {}, false};
    case Op::Zip:
    case Op::Tuple: {
      Name r;
      for (const Expr& c : e.children()) r.parts.push_back(hint(c));
      return r;
    }
    case Op::Generate: {  // tuples of indices
      const Type t = element_of(e.type(), op_rank(e));
      if (!t.is_tuple()) return t == Type(i32) ? Name{"i", {}, false} : Name{};
      Name r;
      static const char* const axes[] = {"i", "j", "k", "l"};
      for (std::size_t d = t.parts().size(); d-- > 0;)
        r.parts.push_back(d < 4 && t.parts()[d] == Type(i32) ? Name{axes[d], {}, false} : Name{});
      return r;
    }
    default:
      return is_identity(e.op()) || row(e.op()).elements != Elements::Made ? hint(e.child(0)) : Name{};
  }
}

/// Taken apart: a tuple whose components have names and which is never meant as a whole.
BoundNames::Name BoundNames::named(const Type& t, const Name& hint, const std::string& base, Path& path,
                                   const std::set<Path>& uses) {
  Name r;
  r.parts = hint.parts;
  r.apart = t.is_tuple() && hint.parts.size() == t.parts().size() && uses.count(path) == 0;
  if (!r.apart) {
    const bool component =
        !path.empty() && !hint.text.empty();  // a variable of its own has a name by its type
    r.text = component ? unused(hint.text) : base.empty() ? fresh(t, "") : fresh(t, base);
    meant_.insert(r.text);
    return r;
  }
  for (std::size_t i = 0; i < r.parts.size(); ++i) {
    path.push_back(static_cast<std::int64_t>(i));
    r.parts[i] = named(t.parts()[i], hint.parts[i], "", path, uses);
    path.pop_back();
  }
  return r;
}

/// The name itself, or with primes.
std::string BoundNames::unused(const std::string& wanted) const {
  std::string n = wanted.substr(0, wanted.find('\''));
  while (meant_.count(n)) n += "'";
  return n;
}

/// A name that nothing in sight has.
std::string BoundNames::fresh(const Type& t, const std::string& base) const {
  std::set<std::string> taken = meant_;
  taken.insert(params_.begin(), params_.end());
  for (const Scope& s : scopes_)
    for (const Name& n : s) all_names(n, taken);
  static const auto& numbers = *new std::vector<std::string>{"x", "y", "z", "u", "v"};
  static const auto& arrays = *new std::vector<std::string>{"xs", "ys", "zs", "us", "vs"};
  const std::vector<std::string> bases = base.empty() ? (t.is_array() ? arrays : numbers) : std::vector{base};
  for (int n = 1;; ++n)
    for (const std::string& b : bases)
      if (const std::string name = n == 1 ? b : b + std::to_string(n); taken.count(name) == 0) return name;
}

std::string BoundNames::spelled(const Name& n, bool parameter) {
  if (!n.apart) return quoted(n.text);
  std::string s;
  for (const Name& p : n.parts) s += (s.empty() ? "" : ", ") + spelled(p, parameter);
  return (parameter ? "(" : "{") + s + (parameter ? ")" : "}");
}

void BoundNames::all_names(const Name& n, std::set<std::string>& to) {
  if (!n.apart)
    to.insert(n.text);
  else
    for (const Name& p : n.parts) all_names(p, to);
}

}  // namespace lift
