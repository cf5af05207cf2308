#include "ir/expr/verify.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

constexpr std::int64_t kLargestBlock = 16;  ///< elements of a block inside map_vec
constexpr std::size_t kLongest = 160;       ///< characters of an expression in a message

class Verifier {
 public:
  Verifier(const Program& program, std::string_view after) : program_(program), after_(after) {}

  void run() {
    arguments();
    visit(program_.body, [&](const Expr& e) { node(e); });
    if (program_.body.loose() != 0) broken("closed", "a variable is bound by nothing in", program_.body);
    one_machine();
    nesting(program_.body, {});
    visit(program_.body, [&](const Expr& e) {
      const auto children = e.children();
      if (e.is(Op::UpdateInPlace) || std::any_of(children.begin(), children.end(), [&](const Expr& c) {
            return overwrites_.count(c.id()) > 0;
          }))
        overwrites_.insert(e.id());
    });
    Scopes scopes;
    in_place(program_.body, scopes);
  }

 private:
  [[noreturn]] void broken(const std::string& rule, const std::string& what) const {
    throw InternalError("verify" + (after_.empty() ? std::string() : " after " + std::string(after_)) + ": " +
                        program_.name + " breaks the rule " + rule + ": " + what);
  }
  [[noreturn]] void broken(const std::string& rule, const std::string& what, const Expr& where) const {
    std::string s = str(where);
    if (s.size() > kLongest) s = s.substr(0, kLongest) + " ...";
    broken(rule, what + " " + s);
  }

  void arguments() const {
    std::set<std::string> names;
    for (const Expr& a : program_.arguments) {
      if (!a.is(Op::Param)) broken("arguments", "not a param:", a);
      if (!names.insert(param_name(a)).second)
        broken("arguments", "two arguments are named " + param_name(a));
    }
    for (const std::string& name : program_.overwritable)
      if (std::none_of(program_.arguments.begin(), program_.arguments.end(),
                       [&](const Expr& a) { return param_name(a) == name && a.type().is_array(); }))
        broken("arguments", "overwritable " + name + " is not an array among them");
  }

  // ---- each node by itself

  void node(const Expr& e) {
    if (e.is(Op::Hole) || mentions_any(e.type()))
      broken("no-holes", e.is(Op::Hole) ? "hole" : "an unknown type in", e);
    if (e.is(Op::Param) &&
        std::find(program_.arguments.begin(), program_.arguments.end(), e) == program_.arguments.end())
      broken("closed", "not an argument: " + param_name(e) + " of type " + e.type().str());
    try {
      if (const Type t = row(e.op()).type(e.op(), e.children(), e.attr()); !(t == e.type()))
        broken("types", e.type().str() + " instead of " + t.str() + " for", e);
    } catch (const TypeError& error) {
      broken("types", error.what());
    }
    if (is_map(e.op()) || !loop_options(e.op()).empty()) attributes(e);
    bound_variables(e);
  }

  /// A variable that a term refers to: lambdas between use and binder, parameter, type.
  using Free = std::tuple<std::int64_t, std::int64_t, Type>;

  void bound_variables(const Expr& e) {
    std::vector<Free> free;
    if (e.is(Op::Bound)) free.emplace_back(bound_depth(e), bound_index(e), e.type());
    for (const Expr& c : e.children())
      for (const auto& [depth, index, type] : free_[c.id()]) {
        if (e.is(Op::Lambda) && depth == 0) {
          const auto& parameters = parameter_types(e);
          if (index < 0 || index >= static_cast<std::int64_t>(parameters.size()))
            broken("closed", "parameter " + std::to_string(index) + " does not exist in", e);
          if (const Type& declared = parameters[static_cast<std::size_t>(index)]; !(declared == type))
            broken("types",
                   "parameter " + std::to_string(index) + " of type " + declared.str() + " is used as " +
                       type.str() + " in",
                   e);
          continue;
        }
        const Free outer{depth - (e.is(Op::Lambda) ? 1 : 0), index, type};
        if (std::find(free.begin(), free.end(), outer) == free.end()) free.push_back(outer);
      }
    free_[e.id()] = std::move(free);
  }

  static bool on_a_grid(const Expr& e) { return e.is(Op::MapGlb) || e.is(Op::MapWrg) || e.is(Op::MapLcl); }

  /// Options lie in their ranges, and there are no others.
  void attributes(const Expr& e) const {
    const std::int64_t rank = op_rank(e), last = loop_option(e, LoopOption::Dimension) + rank - 1;
    if (rank < 1) broken("loop-options", "rank " + std::to_string(rank) + " of", e);
    for (const LoopOptionRow& o : loop_options(e.op()))
      if (const auto n = loop_option(e, o.option); n != o.neutral && (n < o.least || n > o.most))
        broken("loop-options", std::string(option_name(o.option)) + " " + std::to_string(n) + " of", e);
    if (const auto* o = find_option(e.op(), LoopOption::Dimension); o && last > o->most)
      broken("loop-options", "dimension " + std::to_string(last) + " of", e);
    if (has_stray_options(e)) broken("loop-options", "numbers of no option of", e);
  }

  // ---- nesting

  /// What encloses an expression; dimensions of the NDRange as bits.
  struct Around {
    bool vec = false;
    unsigned glb = 0, wrg = 0, lcl = 0;
    unsigned key() const { return (vec ? 1U : 0U) | glb << 1U | wrg << 5U | lcl << 9U; }
  };

  void one_machine() const {
    Expr threads, items;
    visit(program_.body, [&](const Expr& e) {
      if (e.is(Op::MapPar)) threads = e;
      if (on_a_grid(e)) items = e;
    });
    if (threads && items)
      broken("one-machine", "beside " + std::string(text(items.op())) + " there is", threads);
  }

  /// Each node once for each kind of surroundings.
  void nesting(const Expr& e, const Around& around) {
    if (!visited_.emplace(e.id(), around.key()).second) return;
    if (e.is(Op::ToLocal) && around.wrg == 0) broken("to_local", "no work-group around", e);
    if (around.vec && is_scan(e.op())) broken("map_vec", "inside map_vec there is", e);
    if (e.is(Op::CircularBuffer) && around.wrg == 0) broken("circular_buffer", "no work-group around", e);
    if (!is_map(e.op())) {
      for (const Expr& c : e.children()) nesting(c, around);
      return;
    }
    nesting(e.child(1), around);
    nesting(e.child(0), inside(e, around));
  }

  /// Checks a map against its surroundings and gives those of its function.
  Around inside(const Expr& e, Around a) const {
    if (a.vec && e.op() != Op::Map && !whole_unroll(e))
      broken(e.is(Op::MapPar) ? "map_par" : "map_vec", "inside map_vec there is", e);
    const unsigned dims = on_a_grid(e) ? ((1U << static_cast<unsigned>(op_rank(e))) - 1U)
                                             << static_cast<unsigned>(loop_option(e, LoopOption::Dimension))
                                       : 0;
    switch (e.op()) {
      case Op::MapVec:
        if (!scalars(element_of(e.type(), op_rank(e))) && !unrolled_block(e))
          broken("map_vec", "not innermost:", e);
        a.vec = true;
        break;
      case Op::MapGlb:
        if (a.wrg != 0 || a.lcl != 0) broken("map_glb", "inside a work-group there is", e);
        if ((a.glb & dims) != 0) broken("map_glb", "inside map_glb of the same dimension there is", e);
        a.glb |= dims;
        break;
      case Op::MapWrg:
        if (a.glb != 0 || a.lcl != 0) broken("map_wrg", "inside a work-item there is", e);
        if ((a.wrg & dims) != 0) broken("map_wrg", "inside map_wrg of the same dimension there is", e);
        a.wrg |= dims;
        break;
      case Op::MapLcl:
        if ((a.wrg & dims) != dims) broken("map_lcl", "no map_wrg of the same dimension around", e);
        if ((a.lcl & dims) != 0) broken("map_lcl", "inside map_lcl of the same dimension there is", e);
        a.lcl |= dims;
        break;
      default:
        break;
    }
    return a;
  }
  static bool whole_unroll(const Expr& e) {
    return is_of_rank(e, Op::MapUnroll, 1) &&
           shape_of(e.type(), 1)[0] == Nat(loop_option(e, LoopOption::Width));
  }
  static bool unrolled_block(const Expr& e) {
    Nat elements = 1;
    Type t = element_of(e.type(), op_rank(e));
    for (; t.is_array(); t = t.element()) elements = elements * t.length();
    return contains(e.child(0), whole_unroll) && scalars(t) &&
           elements.constant().value_or(kLargestBlock + 1) <= kLargestBlock;
  }
  static bool scalars(const Type& t) {
    return t.is_scalar() || (t.is_tuple() && std::all_of(t.parts().begin(), t.parts().end(), scalars));
  }

  // ---- in place

  /// The argument whose storage a value lies in, elements of it included; for a tuple those of its
  /// components. Neither: the value is computed.
  struct Origin {
    std::string argument;
    std::vector<Origin> parts;
  };
  using Scopes = std::vector<std::vector<Origin>>;

  Origin body_origin(const Expr& fn, std::vector<Origin> parameters, Scopes& scopes) const {
    if (!fn.is(Op::Lambda)) return {};
    scopes.push_back(std::move(parameters));
    Origin r = origin(fn.child(0), scopes);
    scopes.pop_back();
    return r;
  }

  Origin origin(const Expr& e, Scopes& scopes) const {
    if (is_map(e.op())) return body_origin(e.child(0), {origin(e.child(1), scopes)}, scopes);
    switch (e.op()) {
      case Op::Param:
        return {param_name(e), {}};
      case Op::Bound: {
        const auto& scope = scopes.at(scopes.size() - 1 - static_cast<std::size_t>(bound_depth(e)));
        const auto i = static_cast<std::size_t>(bound_index(e));
        return i < scope.size() ? scope[i] : Origin{};
      }
      case Op::Tuple:
      case Op::Zip: {
        Origin r;
        for (const Expr& c : e.children()) r.parts.push_back(origin(c, scopes));
        return r;
      }
      case Op::Get: {
        const Origin whole = origin(e.child(0), scopes);
        const auto i = static_cast<std::size_t>(tuple_index(e));
        return i < whole.parts.size() ? whole.parts[i] : Origin{};
      }
      case Op::Let:
        return body_origin(e.child(1), {origin(e.child(0), scopes)}, scopes);
      case Op::Apply: {
        std::vector<Origin> arguments;
        for (const Expr& c : e.children().subspan(1)) arguments.push_back(origin(c, scopes));
        return body_origin(e.child(0), std::move(arguments), scopes);
      }
      case Op::Unzip:  // each element stays the element that it was
      case Op::At:
      case Op::Split:
      case Op::Join:
      case Op::Drop:
      case Op::Transpose:
      case Op::Layout:
      case Op::Async:
      case Op::Stream:
      case Op::ReadOnly:
      case Op::MayAlias:
      case Op::UpdateInPlace:
        return origin(e.child(0), scopes);
      case Op::Iterate:
        return origin(e.child(1), scopes);
      default:
        return {};
    }
  }

  /// Goes to every update in place with the origins of the variables around it.
  void in_place(const Expr& e, Scopes& scopes) const {
    if (overwrites_.count(e.id()) == 0) return;
    if (e.is(Op::UpdateInPlace)) {
      const std::string name = origin(e.child(0), scopes).argument;
      const auto& allowed = program_.overwritable;
      if (name.empty()) broken("update_in_place", "the base is computed, it is no argument:", e.child(0));
      if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
        broken("update_in_place", "the caller needs " + name + " afterwards, the base of", e);
    }
    if (!e.is(Op::Lambda)) {
      for (const Expr& c : e.children()) {
        if (!c.is(Op::Lambda)) {
          in_place(c, scopes);
          continue;
        }
        scopes.push_back(parameter_origins(e, scopes));
        in_place(c.child(0), scopes);
        scopes.pop_back();
      }
      return;
    }
    scopes.emplace_back();  // a function that nothing is known to apply
    in_place(e.child(0), scopes);
    scopes.pop_back();
  }

  /// Of the variables of the function that e applies to its arguments.
  std::vector<Origin> parameter_origins(const Expr& e, Scopes& scopes) const {
    std::vector<Origin> r;
    if (is_map(e.op()) || e.is(Op::Iterate)) r.push_back(origin(e.child(1), scopes));
    if (e.is(Op::Let)) r.push_back(origin(e.child(0), scopes));
    if (e.is(Op::Apply))
      for (const Expr& c : e.children().subspan(1)) r.push_back(origin(c, scopes));
    return r;
  }

  const Program& program_;
  std::string_view after_;
  std::unordered_map<std::uint32_t, std::vector<Free>> free_;
  std::set<std::pair<std::uint32_t, unsigned>> visited_;
  std::unordered_set<std::uint32_t> overwrites_;  ///< nodes that contain an update in place
};

}  // namespace

void verify(const Program& program, std::string_view after) { Verifier(program, after).run(); }

}  // namespace lift
