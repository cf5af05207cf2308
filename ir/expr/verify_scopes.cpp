// Rules of the verifier that follow variables to their binders.
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify_check.hpp"

namespace lift::verifier {

// ---- binders

namespace {

/// A variable that a term refers to: lambdas between use and binder, parameter, type.
using Free = std::tuple<int, int, Type>;

void declared(const Check& c, const Expr& lambda, int index, const Type& type) {
  const auto& parameters = parameter_types(lambda);
  if (index < 0 || index >= static_cast<int>(parameters.size()))
    c.broken("parameter " + std::to_string(index) + " does not exist in", lambda);
  if (const Type& t = parameters[static_cast<std::size_t>(index)]; !(t == type))
    c.broken(
        "parameter " + std::to_string(index) + " of type " + t.str() + " is used as " + type.str() + " in",
        lambda);
}

}  // namespace

void binders(const Check& c) {
  std::unordered_map<std::uint32_t, std::vector<Free>> free_in;
  visit(c.program.body, [&](const Expr& e) {
    std::vector<Free> free;
    if (e.is(Op::Bound)) free.emplace_back(bound_depth(e), bound_index(e), e.type());
    for (const Expr& child : e.children())
      for (const auto& [depth, index, type] : free_in[child.id()]) {
        if (e.is(Op::Lambda) && depth == 0) {
          declared(c, e, index, type);
          continue;
        }
        const Free outer{depth - (e.is(Op::Lambda) ? 1 : 0), index, type};
        if (std::find(free.begin(), free.end(), outer) == free.end()) free.push_back(outer);
      }
    free_in[e.id()] = std::move(free);
  });
  if (c.program.body.loose() != 0) c.broken("a variable is bound by nothing in", c.program.body);
}

// ---- update_in_place

namespace {

/// The argument whose storage a value lies in, elements of it included; for a tuple those of its components.
/// Neither: the value is computed.
struct Origin {
  std::string argument;
  std::vector<Origin> parts;
  bool own = false;  ///< an array of the program's own (to_global), which may be overwritten
};

class InPlace {
 public:
  explicit InPlace(const Check& c) : c_(c) {
    visit(c.program.body, [&](const Expr& e) {
      const auto overwrites = [&](const Expr& child) { return overwrites_.count(child.id()) > 0; };
      if (e.is(Op::UpdateInPlace) || std::any_of(e.children().begin(), e.children().end(), overwrites))
        overwrites_.insert(e.id());
    });
  }

  /// Goes to every update in place with the origins of the variables around it.
  void go(const Expr& e) {
    if (overwrites_.count(e.id()) == 0) return;
    if (e.is(Op::UpdateInPlace)) base(e);
    if (e.is(Op::Lambda)) return within({}, [&] { go(e.child(0)); });  // nothing is known to apply it
    for (const Expr& child : e.children()) {
      if (child.is(Op::Lambda))
        within(parameter_origins(e), [&] { go(child.child(0)); });
      else
        go(child);
    }
  }

 private:
  template <class F>
  void within(std::vector<Origin> parameters, const F& f) {
    scopes_.push_back(std::move(parameters));
    f();
    scopes_.pop_back();
  }

  void base(const Expr& update) {
    const Origin base = origin(update.child(0));
    const std::string& name = base.argument;
    if (base.own) return;
    const auto& allowed = c_.program.overwritable;
    if (name.empty()) c_.broken("the base is computed, it is no argument:", update.child(0));
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      c_.broken("the caller needs " + name + " afterwards, the base of", update);
  }

  Origin origin_of_body(const Expr& fn, std::vector<Origin> parameters) {
    Origin r;
    if (fn.is(Op::Lambda)) within(std::move(parameters), [&] { r = origin(fn.child(0)); });
    return r;
  }
  std::vector<Origin> origins(std::span<const Expr> es) {
    std::vector<Origin> r;
    for (const Expr& e : es) r.push_back(origin(e));
    return r;
  }

  Origin origin(const Expr& e) {
    if (is_map(e.op())) return origin_of_body(e.child(0), {origin(e.child(1))});
    switch (e.op()) {
      case Op::Param:
        return {param_name(e), {}};
      case Op::ToGlobal: {
        Origin of = origin(e.child(0));
        of.own = of.own || of.argument.empty();
        return of;
      }
      case Op::Bound: {
        const auto& scope = scopes_.at(scopes_.size() - 1 - static_cast<std::size_t>(bound_depth(e)));
        const auto i = static_cast<std::size_t>(bound_index(e));
        return i < scope.size() ? scope[i] : Origin{};
      }
      case Op::Tuple:
      case Op::Zip:
        return {"", origins(e.children())};
      case Op::Get: {
        const Origin whole = origin(e.child(0));
        const auto i = static_cast<std::size_t>(tuple_index(e));
        return i < whole.parts.size() ? whole.parts[i] : Origin{};
      }
      case Op::Let:
        return origin_of_body(e.child(1), {origin(e.child(0))});
      case Op::Apply:
        return origin_of_body(e.child(0), origins(e.children().subspan(1)));
      case Op::UpdateInPlace:
        return origin(e.child(0));
      case Op::Iterate:
        return origin(e.child(1));
      default:
        return rearranges(e.op()) ? origin(e.child(0)) : Origin{};
    }
  }

  /// Of the variables of the function that e applies to its arguments.
  std::vector<Origin> parameter_origins(const Expr& e) {
    if (e.is(Op::Iterate) && e.child(0).type().parts().size() == 2)
      return {{}, origin(e.child(1))};  // number, state
    if (is_map(e.op()) || e.is(Op::Iterate)) return {origin(e.child(1))};
    if (e.is(Op::Let)) return {origin(e.child(0))};
    if (e.is(Op::Apply)) return origins(e.children().subspan(1));
    return {};
  }

  const Check& c_;
  std::vector<std::vector<Origin>> scopes_;
  std::unordered_set<std::uint32_t> overwrites_;  ///< nodes that contain an update in place
};

}  // namespace

void update_in_place(const Check& c) { InPlace(c).go(c.program.body); }

}  // namespace lift::verifier
