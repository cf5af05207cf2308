#include "lower/translate/constant_positions.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"
#include "lower/translate/route.hpp"

namespace lift {
namespace {

class Uses {
 public:
  explicit Uses(const Expr& array) : arrays_{{array, true}} {}

  /// How elements of a value are asked for.
  enum class Asked : std::uint8_t {
    anywhere,    ///< by a loop
    written,     ///< where they are stored: one by one if the value is the array itself, or a part of it
    at_numbers,  ///< one by one, also through views of the array
  };

  bool fit(const Expr& e, Asked how) {
    if (is_in_variables(e)) return how != Asked::anywhere || !e.type().has_arrays();
    if (find(e) != arrays_.end()) return how == Asked::at_numbers;
    if (!mentions(e)) return true;
    if (is_map(e.op())) return fit_map(e, how);
    if (is_reduce(e.op())) return fit_reduce(e, how);
    switch (e.op()) {
      case Op::At:
        return std::all_of(at_position(e).begin(), at_position(e).end(),
                           [](const Nat& n) { return n.is_constant(); }) &&
               fit(e.child(0), e.type().has_arrays() ? of_view(how, hands_on(e)) : Asked::at_numbers);
      case Op::Get:
        return fit(e.child(0), e.type().has_arrays() ? of_view(how) : Asked::at_numbers);
      case Op::Let:
        return fit(e.child(0), Asked::anywhere) && fit_function(e.child(1), how, {});
      case Op::Update:
      case Op::UpdateInPlace:
        return how == Asked::written && fit(e.child(0), Asked::anywhere) && fit(e.child(1), how);
      case Op::Tuple:
      case Op::Concat:
        return all_fit(e, how);
      case Op::Zip:
      case Op::Slide:
      case Op::Pad:
        return all_fit(e, goes_by_numbers(e) ? of_view(how) : Asked::anywhere);
      default:
        if (rearranges(e.op()) && !is_identity(e.op()))
          return all_fit(e, goes_by_numbers(e) ? how : Asked::anywhere);
        return all_fit(e, is_scalar_op(e.op()) ? Asked::at_numbers : Asked::anywhere);
    }
  }

 private:
  /// What is made of the array: a name for it, for a part of it, or for a view of it.
  struct Made {
    Expr name;
    bool variables;  ///< it, or a part of it
  };
  std::vector<Made>::const_iterator find(const Expr& e) const {
    return std::find_if(arrays_.begin(), arrays_.end(), [&](const Made& m) { return m.name == e; });
  }
  /// The array, or a part of it at numbers.
  bool is_in_variables(const Expr& e) const {
    if (const auto it = find(e); it != arrays_.end()) return it->variables;
    const bool part =
        e.is(Op::Get) || (e.is(Op::At) && std::all_of(at_position(e).begin(), at_position(e).end(),
                                                      [](const Nat& n) { return n.is_constant(); }));
    return part && is_in_variables(e.child(0));
  }
  /// Looks at a number's element at a number.
  static bool goes_by_numbers(const Expr& view) {
    const auto& widths = view.attr().nats;
    return std::all_of(widths.begin(), widths.end(), [](const Nat& n) { return n.is_constant(); });
  }
  bool mentions(const Expr& e) const {
    const std::vector<Expr> free = params_of(e);
    return std::any_of(free.begin(), free.end(), [&](const Expr& p) { return find(p) != arrays_.end(); });
  }
  /// How elements of what a view looks at are asked for, where those of the view are asked for in this way:
  /// where a view goes that does not hand on its place, a loop asks for its elements.
  static Asked of_view(Asked how, bool hands_on = false) {
    return how == Asked::written && !hands_on ? Asked::anywhere : how;
  }
  bool all_fit(const Expr& e, Asked how) {
    return std::all_of(e.children().begin(), e.children().end(), [&](const Expr& c) { return fit(c, how); });
  }
  /// Of the function's parameters, those whose arguments mention the array are made of it.
  bool fit_function(const Expr& f, Asked how, const std::vector<Expr>& arguments, bool variables = false) {
    std::vector<Expr> parameters;
    const Expr body = open(f, parameters);
    const std::size_t before = arrays_.size();
    for (std::size_t i = 0; i < arguments.size() && i < parameters.size(); ++i)
      if (parameters[i].type().has_arrays() && mentions(arguments[i]))
        arrays_.push_back({parameters[i], variables});
    const bool r = fit(body, how);
    arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(before), arrays_.end());
    return r;
  }
  /// A map over the array itself is written without a loop.
  bool fit_map(const Expr& e, Asked how) {
    const bool direct = is_in_variables(e.child(1));
    return (direct ? how != Asked::anywhere : fit(e.child(1), of_view(how))) &&
           fit_function(e.child(0), how, {e.child(1)}, direct);
  }
  /// Short reductions, and those over the array itself, are no loops: of arrays they are views. The others
  /// store their accumulators.
  bool fit_reduce(const Expr& e, Asked how) {
    const auto over = find(e.child(2));
    const bool no_loop = (over != arrays_.end() && over->variables) || is_unrolled(e);
    const Asked inner = no_loop ? Asked::at_numbers : Asked::anywhere;
    const Asked value = !e.type().has_arrays() ? Asked::at_numbers : no_loop ? of_view(how) : Asked::written;
    return fit(e.child(2), inner) && fit(e.child(1), value) &&
           fit_function(e.child(0), value, {e.child(1), e.child(2)});
  }

  std::vector<Made> arrays_;
};

}  // namespace

bool only_at_numbers(const Expr& body, const Expr& array) {
  return !array.type().has_arrays() || Uses(array).fit(body, Uses::Asked::written);
}

}  // namespace lift
