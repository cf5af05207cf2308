// Rules of the verifier that follow variables to their binders.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify_check.hpp"
#include "ir/remembered.hpp"

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
  bool own = false;        ///< an array of the program's own (to_global), which may be overwritten
  std::string array = {};  ///< which one: the argument, or one of its own by where it is named
  int version = 0;         ///< how often it has been overwritten when this value was in it
  bool updated = false;    ///< it has been overwritten to make this value
};

/// What an expression reads that is named outside of it.
struct Reads {
  /// Functions between use and binder, parameter, components of components.
  using Variable = std::tuple<int, int, std::vector<int>>;
  std::set<Variable> variables;
  std::set<std::string> arguments;
};
std::shared_ptr<const Reads> reads_of(const Expr& e) {
  static auto& known = *new Remembered<std::uint32_t, std::shared_ptr<const Reads>>;
  return known(e.id(), [&] {
    const auto all = std::make_shared<Reads>();
    if (e.is(Op::Bound)) all->variables.insert({bound_depth(e), bound_index(e), {}});
    if (e.is(Op::Param)) all->arguments.insert(param_name(e));
    const bool component = e.is(Op::Get) && (e.child(0).is(Op::Bound) || e.child(0).is(Op::Get));
    for (const Expr& child : e.children()) {
      const auto below = reads_of(child);
      all->arguments.insert(below->arguments.begin(), below->arguments.end());
      for (auto [depth, index, path] : below->variables) {
        if (e.is(Op::Lambda) && depth == 0) continue;
        if (component) path.push_back(static_cast<int>(tuple_index(e)));
        all->variables.insert({depth - (e.is(Op::Lambda) ? 1 : 0), index, std::move(path)});
      }
    }
    return all;
  });
}

class InPlace {
 public:
  explicit InPlace(const Check& c) : c_(c) {
    visit(c.program.body, [&](const Expr& e) {
      const auto overwrites = [&](const Expr& child) { return overwrites_.count(child.id()) > 0; };
      if (e.is(Op::UpdateInPlace) || std::any_of(e.children().begin(), e.children().end(), overwrites))
        overwrites_.insert(e.id());
    });
  }

  /// Goes through the program in the order in which it is computed, with the origins of the variables around,
  /// to every update in place, and to what is read after one.
  void go(const Expr& e) {
    if (overwrites_.count(e.id()) == 0) return read(e);
    if (e.is(Op::Lambda)) return within({}, [&] { go(e.child(0)); });  // nothing is known to apply it
    for (const Expr& child : e.children())
      if (!child.is(Op::Lambda)) go(child);
    for (const Expr& child : e.children())
      if (child.is(Op::Lambda)) within(parameter_origins(e), [&] { go(child.child(0)); });
    if (e.is(Op::UpdateInPlace)) base(e);
  }

 private:
  template <class F>
  void within(std::vector<Origin> parameters, const F& f) {
    scopes_.push_back(std::move(parameters));
    f();
    scopes_.pop_back();
  }

  /// Of an array that has been overwritten since it held the value, nothing is read.
  void read(const Expr& e) const {
    const auto reads = reads_of(e);
    for (const auto& [depth, index, path] : reads->variables) {
      const std::vector<Origin>* parts = &scopes_.at(scopes_.size() - 1 - static_cast<std::size_t>(depth));
      std::size_t i = static_cast<std::size_t>(index);
      for (const int part : path)
        if (i < parts->size() && !(*parts)[i].parts.empty())
          parts = &(*parts)[i].parts, i = static_cast<std::size_t>(part);
      if (i < parts->size() && is_lost((*parts)[i]))
        c_.broken("an array has been overwritten before it is read in", e);
    }
    for (const std::string& name : reads->arguments)
      if (version(name) > 0) c_.broken(name + " has been overwritten before it is read in", e);
  }
  bool is_lost(const Origin& o) const {
    return (!o.array.empty() && o.version < version(o.array)) ||
           std::any_of(o.parts.begin(), o.parts.end(), [&](const Origin& part) { return is_lost(part); });
  }
  int version(const std::string& array) const {
    const auto it = versions_.find(array);
    return it == versions_.end() ? 0 : it->second;
  }

  void base(const Expr& update) {
    const Origin base = origin(update.child(0));
    const std::string& name = base.argument;
    ++versions_[base.array];
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
        return {param_name(e), {}, false, param_name(e)};
      case Op::ToGlobal: {
        Origin of = origin(e.child(0));
        const bool copied = overwrites_.count(e.child(0).id()) == 0;  // else it lies where its base lies
        if (copied && of.parts.empty()) of = {};
        of.own = of.own || of.argument.empty();
        if (of.array.empty()) of.array = "#" + std::to_string(e.id()) + "." + std::to_string(scopes_.size());
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
      case Op::UpdateInPlace: {
        Origin of = origin(e.child(0));
        of.version = version(of.array), of.updated = true;
        return of;
      }
      case Op::Iterate:
        return origin_of_steps(e);
      default:
        return rearranges(e.op()) ? origin(e.child(0)) : Origin{};
    }
  }

  /// What each step overwrites lies where the first one found it, what each makes anew or hands on as it is
  /// in arrays of the program's own.
  Origin origin_of_steps(const Expr& e) {
    const std::string own = "#" + std::to_string(e.id()) + ".steps";
    const auto made = [&](const std::string& part) { return Origin{"", {}, true, own + part}; };
    const Type& t = e.type();
    const bool several = t.is_tuple();
    Origin state = made(several ? "" : ".state"), result = made("");
    for (std::size_t i = 0; several && i < t.parts().size(); ++i) {
      state.parts.push_back(made(".state" + std::to_string(i)));
      result.parts.push_back(made("." + std::to_string(i)));
    }
    if (several) state.own = result.own = false, state.array = result.array = "";
    if (overwrites_.count(e.child(0).id()) == 0) return result;
    std::vector<Origin> parameters{state};
    if (e.child(0).type().parts().size() == 2) parameters.insert(parameters.begin(), Origin{});
    const Origin last = origin_of_body(e.child(0), std::move(parameters));
    const Origin start = origin(e.child(1));
    if (!several) {
      if (last.array == state.array && last.updated) result = start;
    } else {
      for (std::size_t i = 0; i < result.parts.size(); ++i)
        if (i < last.parts.size() && last.parts[i].array == state.parts[i].array && last.parts[i].updated)
          result.parts[i] = i < start.parts.size() ? start.parts[i] : Origin{};
    }
    refresh(result);
    return result;
  }
  void refresh(Origin& o) const {
    if (!o.array.empty()) o.version = version(o.array);
    for (Origin& part : o.parts) refresh(part);
  }

  /// Of the variables of the function that e applies to its arguments.
  std::vector<Origin> parameter_origins(const Expr& e) {
    if (e.is(Op::Iterate) && e.child(0).type().parts().size() == 2)
      return {{}, origin(e.child(1))};  // number, state
    if (is_map(e.op()) || e.is(Op::Iterate)) return {origin(e.child(1))};
    if (e.is(Op::Let)) {
      const Origin of = origin(e.child(0));
      if (of.array.starts_with("#") && of.version == 0) versions_.erase(of.array);  // it is made here
      return {of};
    }
    if (e.is(Op::Apply)) return origins(e.children().subspan(1));
    return {};
  }

  const Check& c_;
  std::map<std::string, int> versions_;  ///< of arrays: how often each has been overwritten
  std::vector<std::vector<Origin>> scopes_;
  std::unordered_set<std::uint32_t> overwrites_;  ///< nodes that contain an update in place
};

}  // namespace

void update_in_place(const Check& c) { InPlace(c).go(c.program.body); }

}  // namespace lift::verifier
