// The interpreter: what an expression means, evaluated strictly on small concrete data. It is the reference
// that rules, lowering and every backend are tested against, so it shares nothing with the lowering: arrays
// are vectors, indices are integers, and every op has its meaning in one function of namespace `meaning`.
//
// Scalars are computed in their own precision (f32 arithmetic is rounded to float after each operation).
// An element that may not be read (Boundary::undefined) is *poison*: it propagates through scalar operations
// and `contains_poison` finds it in a result.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <variant>

#include "ir/expr/ops.hpp"

namespace lift {

struct Frame;
using Environment =
    std::shared_ptr<const Frame>;  ///< values of the enclosing binders, innermost first; null: none

struct Closure {
  Expr fn;  ///< a Lambda
  Environment environment;
};

class Value {
 public:
  struct Poison {
    friend bool operator==(const Poison&, const Poison&) = default;
  };
  using Array = std::vector<Value>;
  struct Tuple {
    std::vector<Value> parts;
  };
  std::variant<Poison, double, std::int64_t, bool, Array, Tuple, Closure> v;

  double number() const;       ///< of a float, integer or bool scalar
  const Array& array() const;  ///< throws InternalError when it is none
  const std::vector<Value>& parts() const;
  bool is_poison() const { return std::holds_alternative<Poison>(v); }
};

/// The values of one binder's variables, and those around it.
struct Frame {
  std::vector<Value> values;
  Environment outer;
};

class Interpreter {
 public:
  /// Values of params by name; sizes by variable name for symbolic lengths.
  std::map<std::string, Value> params;
  std::map<std::string, std::int64_t> sizes;

  Value eval(const Expr& e);
  Value apply(const Value& closure, std::vector<Value> arguments);
  /// Where the value of a variable, or of a part of one, lies; null for all other expressions.
  const Value* find(const Expr& e) const;
  std::int64_t nat(const Nat& n) const;

  Environment environment;
  /// Called now and then with the number of expressions evaluated so far; what it throws ends the evaluation.
  std::function<void(std::int64_t)> on_progress;

 private:
  std::int64_t evaluated_ = 0;
};

/// Value of a closed expression with the given params.
Value interpret(const Expr& e, std::map<std::string, Value> params = {},
                std::map<std::string, std::int64_t> sizes = {});
/// Value of a closed function on arguments.
Value interpret_call(const Expr& fn, const std::vector<Value>& arguments,
                     std::map<std::string, std::int64_t> sizes = {});

/// Conversion to and from flat row-major data (scalars of tuples of arrays are not flat and are refused).
Value make_array(std::span<const double> data, const Type& type);
/// The same of scalars, which an i64 keeps exactly.
Value make_array(std::span<const Value> data, const Type& type);
std::vector<double> flatten(const Value& v);
/// A value of type t as the data of its component arrays; see component_arrays in ir/expr/program.hpp.
std::vector<std::vector<double>> flatten_components(const Value& v, const Type& t);
/// The same as scalars.
std::vector<std::vector<Value>> scalars_of_components(const Value& v, const Type& t);
bool contains_poison(const Value& v);
/// Same shape and same scalars, bit for bit (NaN equals NaN); poison equals only poison.
bool identical(const Value& a, const Value& b);
/// Largest |a - b| / max(1, |b|) over all scalars; infinite when shapes differ.
double difference(const Value& a, const Value& b);
std::string str(const Value& v);

namespace meaning {
#define LIFT_MEANING(name) Value name(Interpreter& in, const Expr& e)
LIFT_MEANING(unbound);  // params; holes are an error
LIFT_MEANING(bound);
LIFT_MEANING(literal);
LIFT_MEANING(nat_value);
LIFT_MEANING(lambda);
LIFT_MEANING(apply);
LIFT_MEANING(let);
LIFT_MEANING(tuple);
LIFT_MEANING(get);
LIFT_MEANING(zip);
LIFT_MEANING(unzip);
LIFT_MEANING(at);
LIFT_MEANING(split);
LIFT_MEANING(join);
LIFT_MEANING(slide);
LIFT_MEANING(pad);
LIFT_MEANING(drop);
LIFT_MEANING(transpose);
LIFT_MEANING(reverse);
LIFT_MEANING(generate);
LIFT_MEANING(gather);
LIFT_MEANING(concat);
LIFT_MEANING(interleave);
LIFT_MEANING(update);
LIFT_MEANING(map);
LIFT_MEANING(reduce);
LIFT_MEANING(scan);
LIFT_MEANING(iterate);
LIFT_MEANING(identity);
LIFT_MEANING(scalar);  // all arithmetic, comparisons, logic
LIFT_MEANING(select);
LIFT_MEANING(cast);
LIFT_MEANING(user_fun);
#undef LIFT_MEANING
}  // namespace meaning

}  // namespace lift
