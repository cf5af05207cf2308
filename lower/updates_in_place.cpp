#include "lower/updates_in_place.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/footprint.hpp"

namespace lift {
namespace {

class UpdatesInPlace {
 public:
  explicit UpdatesInPlace(const std::vector<std::string>& overwritable) : overwritable_(overwritable) {}

  Expr of(const Expr& e) {
    if (e.is(Op::Lambda)) return below(e, own(e));
    // One of another: what the later block is made of, the earlier one would have written over.
    if (e.is(Op::Update) && e.child(0).is(Op::Update)) return e;
    const bool loop = is_map(e.op()) || is_reduce(e.op()) || is_scan(e.op());
    std::vector<Expr> children;
    for (std::size_t k = 0; k < e.children().size(); ++k) {
      const Expr& c = e.child(k);
      const std::size_t before = later_.size();
      for (std::size_t other = e.is(Op::Let) ? k + 1 : 0; other < e.children().size() && !loop; ++other)
        if (other != k) later_.push_back({e.child(other), scopes_.size()});
      if (c.is(Op::Lambda)) {
        loops_ += loop ? 1 : 0;
        std::vector<Storage> parameters = own(c);
        if (e.is(Op::Let) && !storage(children.at(0), scopes_.size()).root.empty())
          parameters = {storage(children[0], scopes_.size())};
        children.push_back(below(c, std::move(parameters), loop ? arrays_of(e) : std::vector<Expr>{}));
        loops_ -= loop ? 1 : 0;
      } else {
        children.push_back(of(c));
      }
      later_.resize(before);
    }
    const Expr x = with_children(e, std::move(children));
    return x.is(Op::Update) && is_allowed(x) ? make(Op::UpdateInPlace, {x.child(0), x.child(1)}, x.attr())
                                             : x;
  }

 private:
  /// Where a value lies: in an argument, or in what was made within so many loops. Values of no name: "".
  struct Storage {
    std::string root;
    int loops = 0;
  };
  struct Scope {
    Expr lambda;
    std::vector<Storage> parameters;
    std::vector<Expr> names;   ///< that they have where the term is closed
    std::vector<Expr> arrays;  ///< of a loop: the last parameter's components are elements of these
  };
  /// What is computed beside an update or after it, and so many scopes deep.
  struct Later {
    Expr e;
    std::size_t depth;
  };

  std::vector<Storage> own(const Expr& lambda) {
    std::vector<Storage> r;
    for (std::size_t i = 0; i < parameter_types(lambda).size(); ++i)
      r.push_back({"." + std::to_string(made_++), loops_});
    return r;
  }
  static std::vector<Expr> arrays_of(const Expr& loop) {
    const Expr& over = loop.children().back();
    if (!is_map(loop.op()) || !over.is(Op::Zip)) return {over};
    return {over.children().begin(), over.children().end()};
  }
  Expr below(const Expr& lambda, std::vector<Storage> parameters, std::vector<Expr> arrays = {}) {
    Scope scope{lambda, std::move(parameters), {}, std::move(arrays)};
    for (const Type& t : parameter_types(lambda))
      scope.names.push_back(param(".name" + std::to_string(made_++), t));
    scopes_.push_back(std::move(scope));
    const Expr r = with_children(lambda, {of(lambda.child(0))});
    scopes_.pop_back();
    return r;
  }

  /// Components of a tuple lie apart.
  static std::string component_of(const std::string& root, const Expr& get) {
    return root.empty() || root[0] != '.' ? root : root + "." + std::to_string(tuple_index(get));
  }
  const Scope& scope_of(const Expr& bound, std::size_t inner, std::size_t depth) const {
    return scopes_[depth - 1 - (static_cast<std::size_t>(bound_depth(bound)) - inner)];
  }
  Storage storage(const Expr& e, std::size_t depth) const {
    if (e.is(Op::Param)) return {param_name(e), 0};
    if (e.is(Op::Bound)) return scope_of(e, 0, depth).parameters.at(static_cast<std::size_t>(bound_index(e)));
    if (e.is(Op::Get) && e.child(0).is(Op::Bound)) {
      const Storage s = storage(e.child(0), depth);
      return {component_of(s.root, e), s.loops};
    }
    if (is_update(e.op()) || e.is(Op::Get) || rearranges(e.op())) return storage(e.child(0), depth);
    return {"", loops_};
  }

  /// Whether what the term is stored in may change: `roots` become what it is called, from the inside out. An
  /// element of an array lies in that one, of which no other array of the loop may be made.
  bool may_change(const Expr& e, std::size_t depth, std::vector<std::string>& roots) const {
    const Storage s = storage(e, depth);
    if (s.root.empty()) return roots.empty();  // nothing else can read it, but elements of it are computed
    roots.push_back(s.root);
    if (s.root[0] != '.')
      return std::find(overwritable_.begin(), overwritable_.end(), s.root) != overwritable_.end();
    for (std::size_t at = 0; at < depth; ++at) {
      const Scope& scope = scopes_[at];
      if (scope.arrays.empty() || !(s.root + ".").starts_with(scope.parameters.back().root + ".")) continue;
      const std::string component = s.root.substr(scope.parameters.back().root.size());
      if ((scope.arrays.size() > 1) == component.empty()) return false;  // the whole, or a part of an element
      const std::size_t own = component.empty() ? 0 : std::stoul(component.substr(1));
      if (!may_change(scope.arrays[own], at, roots)) return false;
      for (std::size_t other = 0; other < scope.arrays.size(); ++other)
        for (const std::string& root : roots)
          if (other != own && mentions(scope.arrays[other], root, at)) return false;
      return true;
    }
    return true;
  }

  /// Whether a term, `inner` binders within one that is `depth` scopes deep, mentions a value that lies
  /// there.
  bool mentions(const Expr& e, const std::string& root, std::size_t depth, std::size_t inner = 0) const {
    if (e.is(Op::Param)) return param_name(e) == root;
    const bool component = e.is(Op::Get) && e.child(0).is(Op::Bound);
    if (const Expr& b = component ? e.child(0) : e; b.is(Op::Bound)) {
      if (static_cast<std::size_t>(bound_depth(b)) < inner) return false;
      const std::string& own =
          scope_of(b, inner, depth).parameters.at(static_cast<std::size_t>(bound_index(b))).root;
      return own == root || (component ? component_of(own, e) == root : root.starts_with(own + "."));
    }
    return std::any_of(e.children().begin(), e.children().end(), [&](const Expr& c) {
      return mentions(c, root, depth, inner + (e.is(Op::Lambda) ? 1 : 0));
    });
  }

  /// The term with names for the variables of the scopes around, and `part` of it with the name `as`.
  Expr closed(const Expr& e, std::size_t inner = 0) const {
    if (static_cast<std::size_t>(e.loose()) <= inner) return e;
    if (e.is(Op::Bound))
      return scope_of(e, inner, scopes_.size()).names.at(static_cast<std::size_t>(bound_index(e)));
    return map_children(e, [&](const Expr& c) { return closed(c, inner + (e.is(Op::Lambda) ? 1 : 0)); });
  }
  /// Components of variables as variables.
  static Expr apart(const Expr& e) {
    std::string path;
    Expr of = e;
    for (; of.is(Op::Get); of = of.child(0)) path += "." + std::to_string(tuple_index(of));
    if (e.is(Op::Get) && of.is(Op::Param)) return param(param_name(of) + path, e.type());
    return map_children(e, [](const Expr& c) { return apart(c); });
  }

  bool is_allowed(const Expr& update) const {
    const Expr& base = update.child(0);
    const Storage s = storage(base, scopes_.size());
    std::vector<std::string> roots;
    if (!may_change(base, scopes_.size(), roots)) return false;
    if (roots.empty()) return true;
    if (s.loops != loops_) return false;
    Expr x = closed(update), variable = x.child(0);
    while (variable.is(Op::Get)) variable = variable.child(0);
    for (const std::string& root : roots) {
      for (const Later& l : later_)
        if (mentions(l.e, root, l.depth)) return false;
      if (mentions_another(x.child(1), root, variable)) return false;
    }
    x = apart(x);
    return x.child(0).is(Op::Param) &&
           why_not_in_place({"update", params_of(x), x, {param_name(x.child(0))}}).empty();
  }

  /// Of a term that is closed: by another name what lies there is read as it was before.
  bool mentions_another(const Expr& e, const std::string& root, const Expr& variable) const {
    const auto lies_there = [&](const Expr& p) {
      for (const Scope& scope : scopes_)
        for (std::size_t i = 0; i < scope.names.size(); ++i)
          if (scope.names[i] == p) return scope.parameters[i].root == root;
      return param_name(p) == root;
    };
    const std::vector<Expr> all = params_of(e);
    return std::any_of(all.begin(), all.end(),
                       [&](const Expr& p) { return !(p == variable) && lies_there(p); });
  }

  const std::vector<std::string>& overwritable_;
  std::vector<Scope> scopes_;  ///< the functions around
  std::vector<Later> later_;
  int loops_ = 0, made_ = 0;
};

}  // namespace

Expr with_updates_in_place(const Program& program) {
  return UpdatesInPlace(program.overwritable).of(program.body);
}

}  // namespace lift
