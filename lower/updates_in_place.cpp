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
      for (std::size_t other = e.is(Op::Let) ? k + 1 : 0; other < e.children().size(); ++other)
        if (other != k) later_.push_back({e.child(other), scopes_.size()});
      if (c.is(Op::Lambda)) {
        loops_ += loop ? 1 : 0;
        std::vector<Storage> parameters = own(c);
        if (loop)  // elements of what lies outside: whether they may change, the whole program tells
          for (Storage& s : parameters) s.loops = kNowhere;
        if (e.is(Op::Let)) parameters = {storage(children.at(0))};
        if (parameters[0].root.empty()) parameters = own(c);
        children.push_back(below(c, std::move(parameters)));
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
  static constexpr int kNowhere = -1;
  /// Where a value lies: in an argument, or in what was made within so many loops. Values of no name: "".
  struct Storage {
    std::string root;
    int loops = 0;
  };
  struct Scope {
    Expr lambda;
    std::vector<Storage> parameters;
    std::vector<Expr> names;  ///< that they have where the term is closed
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
  Expr below(const Expr& lambda, std::vector<Storage> parameters) {
    Scope scope{lambda, std::move(parameters), {}};
    for (const Type& t : parameter_types(lambda))
      scope.names.push_back(param(".name" + std::to_string(made_++), t));
    scopes_.push_back(std::move(scope));
    const Expr r = with_children(lambda, {of(lambda.child(0))});
    scopes_.pop_back();
    return r;
  }

  const Scope& scope_of(const Expr& bound, std::size_t inner, std::size_t depth) const {
    return scopes_[depth - 1 - (static_cast<std::size_t>(bound_depth(bound)) - inner)];
  }
  Storage storage(const Expr& e) const {
    if (e.is(Op::Param)) return {param_name(e), 0};
    if (e.is(Op::Bound))
      return scope_of(e, 0, scopes_.size()).parameters.at(static_cast<std::size_t>(bound_index(e)));
    if (is_update(e.op()) || e.is(Op::Get) || rearranges(e.op())) return storage(e.child(0));
    return {"", loops_};
  }

  /// Whether a term, `inner` binders within one that is `depth` scopes deep, mentions a value that lies
  /// there.
  bool mentions(const Expr& e, const std::string& root, std::size_t depth, std::size_t inner = 0) const {
    if (e.is(Op::Param)) return param_name(e) == root;
    if (e.is(Op::Bound))
      return static_cast<std::size_t>(bound_depth(e)) >= inner &&
             scope_of(e, inner, depth).parameters.at(static_cast<std::size_t>(bound_index(e))).root == root;
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
  static Expr replaced(const Expr& e, const Expr& part, const Expr& as) {
    if (e == part) return as;
    return map_children(e, [&](const Expr& c) { return replaced(c, part, as); });
  }

  bool is_allowed(const Expr& update) const {
    const Storage s = storage(update.child(0));
    if (s.root.empty()) return true;  // nothing else can read it
    const bool argument = s.root[0] != '.';
    if (s.loops != loops_ ||
        (argument && std::find(overwritable_.begin(), overwritable_.end(), s.root) == overwritable_.end()))
      return false;
    for (const Later& l : later_)
      if (mentions(l.e, s.root, l.depth)) return false;
    return reads_nothing_written(update, s.root);
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

  bool reads_nothing_written(const Expr& update, const std::string& root) const {
    Expr x = closed(update), base = x.child(0), variable = base;
    while (variable.is(Op::Get)) variable = variable.child(0);
    if (mentions_another(x.child(1), root, variable)) return false;
    if (base.is(Op::Get)) {  // a component of a tuple is an array by itself
      const Expr part = param(".part", base.type());
      x = replaced(x, base, part), base = part;
    }
    return base.is(Op::Param) && why_not_in_place({"update", params_of(x), x, {param_name(base)}}).empty();
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
