#include "lower/translate/constant_positions.hpp"

#include <algorithm>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/program.hpp"

namespace lift {
namespace {

class Uses {
 public:
  explicit Uses(const Expr& array) : arrays_{array} {}

  /// How elements of a value are asked for.
  enum class Asked : std::uint8_t {
    anywhere,    ///< by a loop
    written,     ///< where they are stored: one by one if the value is the array itself, or elements of it
    at_numbers,  ///< one by one, also through views of the array
  };

  bool fit(const Expr& e, Asked how) {
    if (is_one(e)) return how != Asked::anywhere;
    if (!mentions(e)) return true;
    const Asked inner = !e.type().has_arrays() ? Asked::at_numbers : how;
    if (is_map(e.op())) return fit_map(e, how);
    if (is_reduce(e.op())) return fit_reduce(e, how);
    switch (e.op()) {
      case Op::At:
        return std::all_of(at_position(e).begin(), at_position(e).end(),
                           [](const Nat& n) { return n.is_constant(); }) &&
               fit(e.child(0), inner);
      case Op::Get:
        return fit(e.child(0), inner);
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
        return all_fit(e, how == Asked::at_numbers ? how : Asked::anywhere);
      default:
        if (rearranges(e.op()) && !is_identity(e.op())) return all_fit(e, how);
        return all_fit(e, is_scalar_op(e.op()) ? Asked::at_numbers : Asked::anywhere);
    }
  }

 private:
  bool is_one(const Expr& e) const { return std::find(arrays_.begin(), arrays_.end(), e) != arrays_.end(); }
  bool mentions(const Expr& e) const {
    const std::vector<Expr> free = params_of(e);
    return std::any_of(free.begin(), free.end(), [&](const Expr& p) { return is_one(p); });
  }
  bool all_fit(const Expr& e, Asked how) {
    return std::all_of(e.children().begin(), e.children().end(), [&](const Expr& c) { return fit(c, how); });
  }
  /// Of the function's parameters, those whose arguments mention the array are made of it.
  bool fit_function(const Expr& f, Asked how, const std::vector<Expr>& arguments) {
    if (!f.is(Op::Lambda)) return fit(f, Asked::anywhere);
    std::vector<Expr> parameters;
    const Expr body = open(f, parameters);
    const std::size_t before = arrays_.size();
    for (std::size_t i = 0; i < arguments.size() && i < parameters.size(); ++i)
      if (parameters[i].type().has_arrays() && mentions(arguments[i])) arrays_.push_back(parameters[i]);
    const bool r = fit(body, how);
    arrays_.resize(before, body);
    return r;
  }
  /// A map over the array itself is written without a loop.
  bool fit_map(const Expr& e, Asked how) {
    const bool direct = how == Asked::written && is_one(e.child(1));
    return (direct || fit(e.child(1), how == Asked::at_numbers ? how : Asked::anywhere)) &&
           fit_function(e.child(0), how, {e.child(1)});
  }
  /// Short reductions, and those over the array itself, are no loops.
  bool fit_reduce(const Expr& e, Asked how) {
    const auto n = e.child(2).type().length().constant();
    const bool no_loop = is_one(e.child(2)) || (n && *n <= kFewScalars && !e.is(Op::ReduceSeq));
    const Asked inner = no_loop ? Asked::at_numbers : Asked::anywhere;
    const Asked value = e.type().has_arrays() ? how : Asked::at_numbers;
    return fit(e.child(2), inner) && fit(e.child(1), value) &&
           fit_function(e.child(0), value, {e.child(1), e.child(2)});
  }

  std::vector<Expr> arrays_;
};

}  // namespace

bool only_at_numbers(const Expr& body, const Expr& array) {
  return !array.type().has_arrays() || Uses(array).fit(body, Uses::Asked::written);
}

}  // namespace lift
