#include "rewrite/engine/match.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {

Expr hole(const std::string& name) { return make(Op::Hole, {}, attributes::hole(name)); }
Nat nat_hole(const std::string& name) { return Nat::size("?" + name, 0); }
bool is_nat_hole(const NatAtom& atom) {
  return atom.kind == AtomKind::Var && !atom.name.empty() && atom.name[0] == '?';
}

namespace {

const NatAtom* lone_hole(const Nat& n) {
  if (!n.is_variable()) return nullptr;
  const NatAtom* a = terms(n)[0].factors[0].atom;
  return is_nat_hole(*a) ? a : nullptr;
}
bool same(const Nat& a, const Nat& b) { return a == b || simplify(a - b) == Nat(0); }

thread_local int open_binders = 0;

/// Free variables for an opened binder, named by how many are open: the same nodes each time, so that
/// building a term again costs no memory. They never outlive the scope.
class Opened {
 public:
  explicit Opened(const std::vector<Type>& types) {
    const std::string prefix = "." + std::to_string(open_binders++) + ".";
    for (std::size_t i = 0; i < types.size(); ++i)
      variables.push_back(param(prefix + std::to_string(i), types[i]));
  }
  ~Opened() { --open_binders; }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  std::vector<Expr> variables;
};

class Matcher {
 public:
  explicit Matcher(Match known) : m(std::move(known)) {}
  Match m;

  bool operator()(const Expr& p, const Expr& t) {
    if (p.is(Op::Hole)) return bind(hole_name(p), below_binders(t));
    if (p.is(Op::Apply) && p.child(0).is(Op::Hole)) return applied(p, t);
    if (p.is(Op::Bound))
      return t.is(Op::Bound) && bound_depth(p) == bound_depth(t) && bound_index(p) == bound_index(t);
    if (p.op() != t.op() || p.children().size() != t.children().size() || !same_attributes(p, t))
      return false;
    const bool binder = p.is(Op::Lambda);
    if (binder) binders_.push_back(parameter_types(t));
    bool ok = true;
    for (std::size_t i = 0; ok && i < p.children().size(); ++i) ok = (*this)(p.child(i), t.child(i));
    if (binder) binders_.pop_back();
    return ok;
  }
  bool finish() const {
    return std::all_of(later_.begin(), later_.end(),
                       [&](const auto& x) { return same(substitute(x.first, m.nats), x.second); });
  }

 private:
  /// The term seen from outside the pattern's binders; nothing when it uses one of them.
  std::optional<Expr> below_binders(const Expr& t) const {
    const int depth = static_cast<int>(binders_.size());
    if (depth == 0 || t.loose() == 0) return t;
    if (uses_inner(t, depth)) return std::nullopt;
    return shift(t, -depth);
  }
  /// Whether a bound variable of one of the `depth` innermost binders occurs.
  static bool uses_inner(const Expr& t, int depth) {
    std::set<std::pair<std::uint32_t, int>> seen;
    const std::function<bool(const Expr&, int)> go = [&](const Expr& e, int inside) {
      if (e.loose() <= inside || !seen.emplace(e.id(), inside).second) return false;
      if (e.is(Op::Bound)) return bound_depth(e) - inside < depth;
      return std::any_of(e.children().begin(), e.children().end(),
                         [&](const Expr& c) { return go(c, inside + (e.is(Op::Lambda) ? 1 : 0)); });
    };
    return go(t, 0);
  }

  bool bind(const std::string& name, const std::optional<Expr>& t) {
    if (!t) return false;
    const auto [it, added] = m.exprs.emplace(name, *t);
    return added || it->second == *t;
  }

  /// f(x, y) with x, y among the pattern's bound variables: f becomes \x y. t.
  bool applied(const Expr& p, const Expr& t) {
    std::vector<std::vector<Expr>> opened(binders_.size());
    std::vector<std::unique_ptr<Opened>> scopes;
    Expr open = t;
    for (std::size_t d = 0; d < binders_.size(); ++d) {  // innermost first
      const auto& types = binders_[binders_.size() - 1 - d];
      scopes.push_back(std::make_unique<Opened>(types));
      opened[d] = scopes.back()->variables;
      open = instantiate(make(Op::Lambda, {open}, attributes::lambda(types)), opened[d]);
    }
    std::vector<Expr> arguments;
    for (std::size_t i = 1; i < p.children().size(); ++i) {
      const Expr& x = p.child(i);
      if (!x.is(Op::Bound))
        throw InternalError("pattern: a hole is applied to something other than a bound variable");
      arguments.push_back(
          opened.at(static_cast<std::size_t>(bound_depth(x))).at(static_cast<std::size_t>(bound_index(x))));
    }
    const Expr f = lambda(arguments, open);
    for (const Expr& v : params_of(f))
      for (const auto& vs : opened)
        if (std::find(vs.begin(), vs.end(), v) != vs.end()) return false;
    return bind(hole_name(p.child(0)), f);
  }

  bool same_attributes(const Expr& p, const Expr& t) {
    const Attr &a = p.attr(), &b = t.attr();
    if (a.ints != b.ints || a.texts != b.texts || a.number != b.number || a.nats.size() != b.nats.size() ||
        a.types.size() != b.types.size())
      return false;
    for (std::size_t i = 0; i < a.types.size(); ++i)
      if (!mentions_any(a.types[i]) && !(a.types[i] == b.types[i])) return false;
    for (std::size_t i = 0; i < a.nats.size(); ++i)
      if (!natural(a.nats[i], b.nats[i])) return false;
    return true;
  }
  bool natural(const Nat& p, const Nat& n) {
    if (const NatAtom* h = lone_hole(p)) {
      const auto [it, added] = m.nats.emplace(h, n);
      return added || same(it->second, n);
    }
    later_.emplace_back(p, n);
    return true;
  }

  std::vector<std::vector<Type>> binders_;  // types of the binders passed, outermost first
  std::vector<std::pair<Nat, Nat>> later_;  // composed naturals, compared when all holes are bound
};

/// Builds a pattern bottom-up; a function is built after the array it is mapped over, whose elements type its
/// parameter.
class Builder {
 public:
  using Choose = std::function<Expr(const std::string&, const HoleUse&)>;
  explicit Builder(const Match& m) : m_(m) {}
  Builder(Match& m, const Choose& choose) : m_(m), chosen_(&m), choose_(&choose) {}

  Expr operator()(const Expr& p, const HoleUse& use = {}) const {
    if (p.is(Op::Hole)) return value_of(hole_name(p), use);
    if (p.is(Op::Lambda)) return function_over(p, parameter_types(p), use);
    const Attr a = filled_in(p);
    const HoleUse below{p.op(), chosen_ != nullptr ? op_rank(p) : 1};
    const auto child = [&](std::size_t i) { return (*this)(p.child(i), below); };
    if (const auto f = function_child(p.op())) {
      std::vector<Expr> children(p.children().size());
      for (std::size_t i = 0; i < children.size(); ++i)
        if (i != *f) children[i] = child(i);
      children[*f] = p.child(*f);  // tells how many arguments it takes
      const std::vector<Type> types = applied_to(p.op(), children, a);
      HoleUse used{p.op(), below.rank, types};
      if (is_reduce(p.op()) || is_scan(p.op())) used.returns = types.front();
      if (p.is(Op::Iterate)) used.returns = types.back();
      children[*f] = function_over(p.child(*f), types, used);
      return make(p.op(), std::move(children), a);
    }
    std::vector<Expr> children(p.children().size());
    for (std::size_t i = p.is(Op::Apply) ? 1 : 0; i < children.size(); ++i) children[i] = child(i);
    if (p.is(Op::Apply)) {
      std::vector<Type> types;
      for (std::size_t i = 1; i < children.size(); ++i) types.push_back(children[i].type());
      return apply(function_over(p.child(0), types, {Op::Apply, 1, types}),
                   {children.begin() + 1, children.end()});
    }
    if (p.is(Op::Get)) return get(tuple_index(a), children[0]);
    if (p.is(Op::At)) return at(at_position(a), children[0]);
    return p.children().empty() && a == p.attr() ? p : make(p.op(), std::move(children), a);
  }

 private:
  Expr value_of(const std::string& hole, const HoleUse& use) const {
    if (chosen_ == nullptr || m_.exprs.count(hole) != 0) return m_[hole];
    return chosen_->exprs.emplace(hole, (*choose_)(hole, use)).first->second;
  }
  Expr function_over(const Expr& p, const std::vector<Type>& types, const HoleUse& use) const {
    if (!p.is(Op::Lambda)) return (*this)(p, use);
    if (parameter_types(p).size() != types.size())
      throw InternalError("pattern: a function of another number of parameters");
    return function(types, [&](std::span<const Expr> xs) { return (*this)(instantiate(p, xs)); });
  }
  Attr filled_in(const Expr& p) const {
    Attr a = p.attr();
    for (Nat& n : a.nats) n = substitute(n, m_.nats);
    return a;
  }
  const Match& m_;
  Match* chosen_ = nullptr;  ///< m_, where holes are chosen
  const Choose* choose_ = nullptr;
};

}  // namespace

const Expr& Match::operator[](const std::string& name) const {
  const auto it = exprs.find(name);
  if (it == exprs.end()) throw InternalError("rule: no hole named " + name + " in its pattern");
  return it->second;
}
Nat Match::nat(const std::string& name) const {
  const auto it = nats.find(lone_hole(nat_hole(name)));
  if (it == nats.end()) throw InternalError("rule: no natural named " + name + " in its pattern");
  return it->second;
}

std::optional<Match> match(const Expr& pattern, const Expr& term, Match known) {
  Matcher matcher(std::move(known));
  if (!matcher(pattern, term) || !matcher.finish()) return std::nullopt;
  return std::move(matcher.m);
}

Expr filled_in(const Expr& pattern, const Match& m) { return Builder(m)(pattern); }
Expr filled_in(const Expr& pattern, Match& m,
               const std::function<Expr(const std::string&, const HoleUse&)>& choose) {
  return Builder(m, choose)(pattern);
}

Holes holes_of(const Expr& pattern) {
  Holes h;
  const auto note = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  visit(pattern, [&](const Expr& e) {
    if (e.is(Op::Hole)) note(h.exprs, hole_name(e));
    for (const Nat& n : e.attr().nats)
      for (const NatAtom* a : variables(n))
        if (is_nat_hole(*a)) note(h.nats, a->name.substr(1));
  });
  return h;
}

Expr function(const std::vector<Type>& parameters, const std::function<Expr(std::span<const Expr>)>& body) {
  const Opened opened(parameters);
  return lambda(opened.variables, body(opened.variables));
}

}  // namespace lift
