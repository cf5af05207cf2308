#include "ir/expr/interpret.hpp"

#include <fmt/format.h>
#include <cmath>
#include <limits>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/program.hpp"

namespace lift {

double Value::number() const {
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  throw InternalError("interpreter: a scalar was expected, got " + str(*this));
}
const Value::Array& Value::array() const {
  if (const auto* a = std::get_if<Array>(&v)) return *a;
  throw InternalError("interpreter: an array was expected, got " + str(*this));
}
const std::vector<Value>& Value::parts() const {
  if (const auto* t = std::get_if<Tuple>(&v)) return t->parts;
  throw InternalError("interpreter: a tuple was expected, got " + str(*this));
}

Value Interpreter::eval(const Expr& e) {
  constexpr std::int64_t kEvery = 1 << 14;
  if (++evaluated_ % kEvery == 0 && on_progress) on_progress(evaluated_);
  return row(e.op()).meaning(*this, e);
}

Value Interpreter::apply(const Value& closure, std::vector<Value> arguments) {
  const auto* c = std::get_if<Closure>(&closure.v);
  if (!c) throw InternalError("interpreter: a function was expected, got " + str(closure));
  struct Restore {
    Environment& now;
    Environment before;
    ~Restore() { now = std::move(before); }
  } const restore{environment, environment};
  const Expr body = c->fn.child(0);
  environment = std::make_shared<const Frame>(Frame{std::move(arguments), c->environment});
  return eval(body);
}

const Value* Interpreter::find(const Expr& e) const {
  switch (e.op()) {
    case Op::Param: {
      const auto it = params.find(param_name(e));
      return it == params.end() ? nullptr : &it->second;
    }
    case Op::Bound: {
      const Frame* f = environment.get();
      for (auto d = bound_depth(e); f && d > 0; --d) f = f->outer.get();
      const auto i = static_cast<std::size_t>(bound_index(e));
      return f && i < f->values.size() ? &f->values[i] : nullptr;
    }
    case Op::Get: {
      const Value* t = find(e.child(0));
      return t ? &t->parts().at(static_cast<std::size_t>(tuple_index(e))) : nullptr;
    }
    case Op::At: {
      const Value* x = find(e.child(0));
      for (const Nat& n : at_position(e)) {
        if (!x) break;
        const auto i = static_cast<std::size_t>(nat(n));
        x = i < x->array().size() ? &x->array()[i] : nullptr;
      }
      return x;
    }
    default:
      return nullptr;
  }
}

std::int64_t Interpreter::nat(const Nat& n) const {
  if (const auto c = n.constant()) return *c;
  return evaluate(n, [&](const NatAtom& a) {
    const auto it = sizes.find(a.name);
    const auto index = params.find(a.name);
    if (it == sizes.end() && index != params.end()) return static_cast<std::int64_t>(index->second.number());
    if (it == sizes.end())
      throw UserError("interpreter: size " + a.name + " has no value; pass it in `sizes`");
    return it->second;
  });
}

Value interpret(const Expr& e, std::map<std::string, Value> params,
                std::map<std::string, std::int64_t> sizes) {
  Interpreter in;
  in.params = std::move(params), in.sizes = std::move(sizes);
  return in.eval(e);
}
Value interpret_call(const Expr& fn, const std::vector<Value>& arguments,
                     std::map<std::string, std::int64_t> sizes) {
  Interpreter in;
  in.sizes = std::move(sizes);
  return in.apply(in.eval(fn), arguments);
}

namespace {

Value scalar(const Value& x, Scalar) { return x; }
Value scalar(double x, Scalar s) {
  switch (s) {
    case Scalar::i32:
    case Scalar::i64:
    case Scalar::u8:
      return {static_cast<std::int64_t>(x)};
    case Scalar::u16:
    case Scalar::i16:
    case Scalar::boolean:
      return {x != 0};
    case Scalar::f32:
      return {static_cast<double>(static_cast<float>(x))};
    case Scalar::f64:
      break;
  }
  return {x};
}

template <class T>
Value build(std::span<const T> data, const Type& t, std::size_t& at) {
  if (t.is_array()) {
    const auto n = t.length().constant();
    if (!n) throw UserError("make_array: the length " + t.length().str() + " is not a number; fix the size");
    Value::Array a;
    for (std::int64_t i = 0; i < *n; ++i) a.push_back(build(data, t.element(), at));
    return {std::move(a)};
  }
  if (!t.is_scalar()) throw UserError("make_array: " + t.str() + " is not an array of numbers");
  if (at >= data.size())
    throw UserError("make_array: " + std::to_string(data.size()) + " numbers are too few for the type");
  return scalar(data[at++], t.scalar());
}

template <class T>
Value built(std::span<const T> data, const Type& type) {
  std::size_t at = 0;
  Value v = build(data, type, at);
  if (at != data.size())
    throw UserError("make_array: " + std::to_string(data.size()) + " numbers for " + type.str());
  return v;
}

void flatten(const Value& v, std::vector<double>& to) {
  if (const auto* a = std::get_if<Value::Array>(&v.v)) {
    for (const Value& x : *a) flatten(x, to);
  } else if (const auto* t = std::get_if<Value::Tuple>(&v.v)) {
    for (const Value& x : t->parts) flatten(x, to);
  } else {
    to.push_back(v.is_poison() ? std::numeric_limits<double>::quiet_NaN() : v.number());
  }
}

/// Walks two values of one shape; `f` sees pairs of scalars. False: shapes differ.
template <class F>
bool pairs(const Value& a, const Value& b, const F& f) {
  const auto children = [](const Value& v) -> const std::vector<Value>* {
    if (const auto* x = std::get_if<Value::Array>(&v.v)) return x;
    if (const auto* t = std::get_if<Value::Tuple>(&v.v)) return &t->parts;
    return nullptr;
  };
  const auto *x = children(a), *y = children(b);
  if (!x && !y) return f(a, b);
  if (!x || !y || x->size() != y->size()) return false;
  for (std::size_t i = 0; i < x->size(); ++i)
    if (!pairs((*x)[i], (*y)[i], f)) return false;
  return true;
}

}  // namespace

Value make_array(std::span<const double> data, const Type& type) { return built(data, type); }
Value make_array(std::span<const Value> data, const Type& type) { return built(data, type); }
std::vector<double> flatten(const Value& v) {
  std::vector<double> r;
  flatten(v, r);
  return r;
}
namespace {
/// f(component, scalar), in the order of the elements.
void visit_components(const Value& v, const Type& t, std::size_t first,
                      const std::function<void(std::size_t, const Value&)>& f) {
  if (t.is_array()) {
    for (const Value& x : v.array()) visit_components(x, t.element(), first, f);
  } else if (t.is_tuple()) {
    for (std::size_t i = 0; i < t.parts().size(); first += components_in(t.parts()[i]), ++i)
      visit_components(v.parts().at(i), t.parts()[i], first, f);
  } else {
    f(first, v);
  }
}
double number_of(const Value& v) {
  return v.is_poison() ? std::numeric_limits<double>::quiet_NaN() : v.number();
}
}  // namespace

std::vector<std::vector<double>> flatten_components(const Value& v, const Type& t) {
  std::vector<std::vector<double>> r(components_in(t));
  visit_components(v, t, 0, [&](std::size_t c, const Value& x) { r.at(c).push_back(number_of(x)); });
  return r;
}
std::vector<std::vector<Value>> scalars_of_components(const Value& v, const Type& t) {
  std::vector<std::vector<Value>> r(components_in(t));
  visit_components(v, t, 0, [&](std::size_t c, const Value& x) { r.at(c).push_back(x); });
  return r;
}
bool contains_poison(const Value& v) {
  bool found = false;
  pairs(v, v, [&](const Value& a, const Value&) {
    found |= a.is_poison();
    return true;
  });
  return found;
}
bool identical(const Value& a, const Value& b) {
  return pairs(a, b, [](const Value& x, const Value& y) {
    if (x.is_poison() || y.is_poison()) return x.is_poison() && y.is_poison();
    const double p = x.number(), q = y.number();
    return p == q ? std::signbit(p) == std::signbit(q) : std::isnan(p) && std::isnan(q);
  });
}
double difference(const Value& a, const Value& b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double worst = 0;
  const bool same = pairs(a, b, [&](const Value& x, const Value& y) {
    if (x.is_poison() || y.is_poison()) {
      if (!(x.is_poison() && y.is_poison())) worst = infinite;
      return true;
    }
    const double p = x.number(), q = y.number(), d = std::abs(p - q) / std::max(1.0, std::abs(q));
    if (std::isnan(d) && !(std::isnan(p) && std::isnan(q)) && p != q)
      worst = infinite;
    else if (d > worst)
      worst = d;
    return true;
  });
  return same ? worst : infinite;
}

std::string str(const Value& v) {
  if (v.is_poison()) return "undefined";
  if (const auto* a = std::get_if<Value::Array>(&v.v)) {
    std::string s;
    for (const Value& x : *a) s += (s.empty() ? "" : ", ") + str(x);
    return "[" + s + "]";
  }
  if (const auto* t = std::get_if<Value::Tuple>(&v.v)) {
    std::string s;
    for (const Value& x : t->parts) s += (s.empty() ? "" : ", ") + str(x);
    return "{" + s + "}";
  }
  if (std::holds_alternative<Closure>(v.v)) return "function";
  if (const auto* i = std::get_if<std::int64_t>(&v.v)) return std::to_string(*i);
  if (const auto* b = std::get_if<bool>(&v.v)) return *b ? "true" : "false";
  return fmt::format("{:.17g}", std::get<double>(v.v));
}

}  // namespace lift
