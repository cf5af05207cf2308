// What each primitive means, on vectors. Rank-D primitives act on D dimensions of nested vectors, one after
// the other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/interpret.hpp"

namespace lift::meaning {
namespace {

using Array = Value::Array;

std::vector<std::int64_t> numbers(const Interpreter& in, std::span<const Nat> ns) {
  std::vector<std::int64_t> r;
  for (const Nat& n : ns) r.push_back(in.nat(n));
  return r;
}

/// The value of an expression that is only read: that of a variable, or a part of it, is not copied.
class Read {
 public:
  Read(Interpreter& in, const Expr& e) : there_(in.find(e)) {
    if (!there_) own_ = in.eval(e);
  }
  const Value& operator*() const { return there_ ? *there_ : own_; }
  const Value* operator->() const { return &**this; }

 private:
  const Value* there_;
  Value own_;
};

/// Applies f to the array `depth` dimensions down.
Value below(const Value& v, std::size_t depth, const std::function<Value(const Value&)>& f) {
  if (depth == 0) return f(v);
  Array r;
  for (const Value& x : v.array()) r.push_back(below(x, depth - 1, f));
  return {std::move(r)};
}

/// Array of shape `shape` whose elements f gives by their position.
Value tabulate(std::span<const std::int64_t> shape,
               const std::function<Value(const std::vector<std::int64_t>&)>& f,
               std::vector<std::int64_t>& at) {
  if (at.size() == shape.size()) return f(at);
  Array r;
  for (std::int64_t i = 0; i < shape[at.size()]; ++i) {
    at.push_back(i);
    r.push_back(tabulate(shape, f, at));
    at.pop_back();
  }
  return {std::move(r)};
}
Value tabulate(const std::vector<std::int64_t>& shape,
               const std::function<Value(const std::vector<std::int64_t>&)>& f) {
  std::vector<std::int64_t> at;
  return tabulate(shape, f, at);
}

std::vector<std::int64_t> lengths(const Value& v, std::size_t rank) {
  std::vector<std::int64_t> r;
  const Value* x = &v;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d > 0 && x->array().empty()) return std::vector<std::int64_t>(rank, 0);
    if (d > 0) x = &x->array()[0];
    r.push_back(static_cast<std::int64_t>(x->array().size()));
  }
  return r;
}
const Value& element(const Value& v, std::span<const std::int64_t> at) {
  const Value* x = &v;
  for (const auto i : at) {
    const Array& a = x->array();
    if (i < 0 || i >= static_cast<std::int64_t>(a.size()))
      throw InternalError("interpreter: element " + std::to_string(i) + " of an array of " +
                          std::to_string(a.size()));
    x = &a[static_cast<std::size_t>(i)];
  }
  return *x;
}

/// Where position i of a gather lies in n elements, its array continued by the boundary condition as far as
/// needed, element by element. Nothing: not among them.
std::optional<std::int64_t> position_within(Boundary b, std::int64_t i, std::int64_t n) {
  const auto there = [&] { return i >= 0 && i < n; };
  switch (b) {
    case Boundary::clamp:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case Boundary::wrap:
      return (i % n + n) % n;
    case Boundary::mirror:
      for (i = (i % (2 * n) + 2 * n) % (2 * n); !there();) i = i < 0 ? -1 - i : 2 * n - 1 - i;
      return i;
    case Boundary::reflect:
      if (n == 1) return 0;
      for (i %= 2 * n - 2; !there();) i = i < 0 ? -i : 2 * n - 2 - i;
      return i;
    default:
      return there() ? std::optional(i) : std::nullopt;
  }
}

/// A value of the type's shape, all undefined.
Value poison_like(const Value& v) {
  if (const auto* a = std::get_if<Array>(&v.v)) {
    Array r;
    for (const Value& x : *a) r.push_back(poison_like(x));
    return {std::move(r)};
  }
  if (const auto* t = std::get_if<Value::Tuple>(&v.v)) {
    Value::Tuple r;
    for (const Value& x : t->parts) r.parts.push_back(poison_like(x));
    return {std::move(r)};
  }
  return {Value::Poison{}};
}
Value map_leaves(const Value& v, const std::function<Value(const Value&)>& f) {
  if (const auto* a = std::get_if<Array>(&v.v)) {
    Array r;
    for (const Value& x : *a) r.push_back(map_leaves(x, f));
    return {std::move(r)};
  }
  return f(v);
}

/// One dimension of a pad; `outside` is the value map of odd and constant. `scalars`: what its elements are.
Value pad_one(const Value& v, std::int64_t low, std::int64_t high, Boundary b, bool scalars,
              const std::function<Value(const Value&)>& outside) {
  const Array& xs = v.array();
  const auto n = static_cast<std::int64_t>(xs.size());
  Array r;
  for (std::int64_t x = -low; x < n + high; ++x) {
    const bool inside = x >= 0 && x < n;
    std::int64_t at = x;
    switch (b) {
      case Boundary::clamp:
      case Boundary::constant:
      case Boundary::undefined:
        at = std::clamp<std::int64_t>(x, 0, n - 1);
        break;
      case Boundary::wrap:
        at = ((x % n) + n) % n;
        break;
      case Boundary::mirror:
      case Boundary::odd:
        at = x < 0 ? -1 - x : x >= n ? 2 * n - 1 - x : x;
        break;
      case Boundary::reflect:
        at = x < 0 ? -x : x >= n ? 2 * n - 2 - x : x;
        break;
    }
    if (n == 0 && scalars && b == Boundary::constant) {  // there is no element to take the shape from
      r.push_back(outside(Value{0.0}));
      continue;
    }
    const Value& e = element(v, std::span(&at, 1));
    if (inside || (b != Boundary::odd && b != Boundary::constant && b != Boundary::undefined))
      r.push_back(e);
    else if (b == Boundary::undefined)
      r.push_back(poison_like(e));
    else
      r.push_back(map_leaves(e, outside));
  }
  return {std::move(r)};
}

Value rounded(double x, Scalar s) {
  switch (s) {
    case Scalar::f32:
      return {static_cast<double>(static_cast<float>(x))};
    case Scalar::f64:
      return {x};
    case Scalar::i32:
    case Scalar::i64:
      return {static_cast<std::int64_t>(x)};
    case Scalar::u8:
      return {static_cast<std::int64_t>(x) & 255};
    case Scalar::u16:
    case Scalar::i16:
    case Scalar::boolean:
      break;
  }
  return {x != 0};
}

/// a op b in 64 bits; nothing where they do not hold it.
std::optional<std::int64_t> within_64_bits(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (op == Op::Add   ? __builtin_add_overflow(a, b, &r)
      : op == Op::Sub ? __builtin_sub_overflow(a, b, &r)
                      : __builtin_mul_overflow(a, b, &r))
    return std::nullopt;
  return r;
}

/// A division by zero gives 0, and its remainder the dividend; the least number by -1 gives itself.
/// Nothing: 64 bits do not hold it.
std::optional<std::int64_t> integer(Op op, Scalar s, std::int64_t a, std::int64_t b) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  const auto floor_div = [&](std::int64_t x, std::int64_t y) {
    if (y == -1 && s == i32) return static_cast<std::int64_t>(static_cast<std::int32_t>(-x));
    if (y == -1) return x == kLeast ? x : -x;
    return y == 0 ? 0 : x / y - ((x % y != 0) && ((x < 0) != (y < 0)) ? 1 : 0);
  };
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
      return within_64_bits(op, a, b);
    case Op::Div:
      return floor_div(a, b);
    case Op::Mod:
      return b == -1 ? 0 : a - b * floor_div(a, b);
    case Op::Min:
      return std::min(a, b);
    case Op::Max:
      return std::max(a, b);
    case Op::Neg:
      return within_64_bits(Op::Sub, 0, a);
    case Op::Abs:
      return a < 0 ? within_64_bits(Op::Sub, 0, a) : a;
    default:
      throw InternalError("interpreter: " + std::string(text(op)) + " of integers");
  }
}
double floating(Op op, double a, double b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::Mod:
      return std::fmod(a, b);
    case Op::Min:
      return b < a ? b : a;
    case Op::Max:
      return a < b ? b : a;
    case Op::Neg:
      return -a;
    case Op::Abs:
      return std::abs(a);
    default:
      throw InternalError("interpreter: " + std::string(text(op)) + " of numbers");
  }
}

}  // namespace

#define LIFT_MEANING(name) Value name([[maybe_unused]] Interpreter& in, [[maybe_unused]] const Expr& e)

LIFT_MEANING(unbound) {
  if (!e.is(Op::Param)) throw InternalError("interpreter: a hole has no value");
  if (const Value* v = in.find(e)) return *v;
  throw UserError("interpreter: no value for argument " + param_name(e));
}
LIFT_MEANING(bound) {
  if (const Value* v = in.find(e)) return *v;
  throw InternalError("interpreter: variable " + str(e) +
                      " is bound by nothing; the expression is part of another");
}
LIFT_MEANING(literal) { return rounded(literal_number(e), e.type().scalar()); }
LIFT_MEANING(nat_value) { return {in.nat(nat_of(e))}; }
LIFT_MEANING(lambda) { return {Closure{e, in.environment}}; }
LIFT_MEANING(apply) {
  std::vector<Value> args;
  for (std::size_t i = 1; i < e.children().size(); ++i) args.push_back(in.eval(e.child(i)));
  return in.apply(in.eval(e.child(0)), std::move(args));
}
LIFT_MEANING(let) {
  Value v = in.eval(e.child(0));
  return in.apply(in.eval(e.child(1)), {std::move(v)});
}

LIFT_MEANING(tuple) {
  Value::Tuple t;
  for (const Expr& c : e.children()) t.parts.push_back(in.eval(c));
  return {std::move(t)};
}
LIFT_MEANING(get) { return Read(in, e.child(0))->parts().at(static_cast<std::size_t>(tuple_index(e))); }
LIFT_MEANING(zip) {
  std::vector<Read> xs;
  for (const Expr& c : e.children()) xs.emplace_back(in, c);
  return tabulate(lengths(*xs[0], static_cast<std::size_t>(op_rank(e))),
                  [&](const std::vector<std::int64_t>& at) {
                    Value::Tuple t;
                    for (const Read& x : xs) t.parts.push_back(element(*x, at));
                    return Value{std::move(t)};
                  });
}
LIFT_MEANING(unzip) {
  const Read given(in, e.child(0));
  const Value& xs = *given;
  Value::Tuple t;
  for (std::size_t k = 0; k < e.type().parts().size(); ++k)
    t.parts.push_back(
        tabulate(lengths(xs, static_cast<std::size_t>(op_rank(e))),
                 [&](const std::vector<std::int64_t>& at) { return element(xs, at).parts().at(k); }));
  return {std::move(t)};
}
LIFT_MEANING(at) { return element(*Read(in, e.child(0)), numbers(in, at_position(e))); }
LIFT_MEANING(split) {
  const Read given(in, e.child(0));
  const Value& xs = *given;
  const auto k = numbers(in, split_lengths(e));
  const auto rank = k.size();
  auto shape = lengths(xs, rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (shape[d] % k[d] != 0)
      throw UserError("split: " + std::to_string(k[d]) + " does not divide " + std::to_string(shape[d]));
    shape[d] /= k[d];
  }
  shape.insert(shape.end(), k.begin(), k.end());
  return tabulate(shape, [&](const std::vector<std::int64_t>& p) {
    std::vector<std::int64_t> q;
    for (std::size_t d = 0; d < rank; ++d) q.push_back(p[d] * k[d] + p[rank + d]);
    return element(xs, q);
  });
}
LIFT_MEANING(join) {
  const Read given(in, e.child(0));
  const Value& xs = *given;
  const auto rank = static_cast<std::size_t>(op_rank(e));
  const auto inner = lengths(xs, 2 * rank);
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(inner[d] * inner[rank + d]);
  return tabulate(shape, [&](const std::vector<std::int64_t>& p) {
    std::vector<std::int64_t> q(2 * rank);
    for (std::size_t d = 0; d < rank; ++d)
      q[d] = p[d] / inner[rank + d], q[rank + d] = p[d] % inner[rank + d];
    return element(xs, q);
  });
}
LIFT_MEANING(slide) {
  const Read given(in, e.child(0));
  const Value& xs = *given;
  const auto sizes = numbers(in, slide_sizes(e)), steps = numbers(in, slide_steps(e));
  const auto rank = sizes.size();
  auto shape = lengths(xs, rank);
  for (std::size_t d = 0; d < rank; ++d) shape[d] = (shape[d] - sizes[d]) / steps[d] + 1;
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return tabulate(shape, [&](const std::vector<std::int64_t>& p) {
    std::vector<std::int64_t> q;
    for (std::size_t d = 0; d < rank; ++d) q.push_back(steps[d] * p[d] + p[rank + d]);
    return element(xs, q);
  });
}
LIFT_MEANING(pad) {
  Value v = in.eval(e.child(0));
  const auto low = numbers(in, low_widths(e)), high = numbers(in, high_widths(e));
  const auto rank = low.size();
  const auto boundary = pad_boundary(e);
  const Type element = element_of(e.type());
  const bool given = e.children().size() == 2;
  const Value value = given                            ? in.eval(e.child(1))
                      : boundary == Boundary::constant ? rounded(pad_number(e), element.scalar())
                                                       : Value{};
  const auto outside = [&](const Value& x) -> Value {
    if (boundary == Boundary::constant || (given && value.is_poison())) return value;
    if (x.is_poison()) return x;
    return given ? rounded(rounded(2 * value.number(), element.scalar()).number() - x.number(),
                           element.scalar())
                 : Value{-x.number()};
  };
  for (std::size_t d = 0; d < rank; ++d)
    v = below(v, d, [&](const Value& x) {
      return pad_one(x, low[d], high[d], boundary, d + 1 == rank && element.is_scalar(), outside);
    });
  return v;
}
LIFT_MEANING(drop) {
  Value v = in.eval(e.child(0));
  const auto low = numbers(in, low_widths(e)), high = numbers(in, high_widths(e));
  const auto rank = low.size();
  for (std::size_t d = 0; d < rank; ++d)
    v = below(v, d, [&](const Value& x) {
      return Value{Array(x.array().begin() + low[d], x.array().end() - high[d])};
    });
  return v;
}
LIFT_MEANING(transpose) {
  const Read given(in, e.child(0));
  const Value& xs = *given;
  const auto& p = transpose_order(e);
  const auto from = lengths(xs, p.size());
  std::vector<std::int64_t> shape;
  for (const auto d : p) shape.push_back(from[static_cast<std::size_t>(d)]);
  return tabulate(shape, [&](const std::vector<std::int64_t>& at) {
    std::vector<std::int64_t> q(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) q[static_cast<std::size_t>(p[d])] = at[d];
    return element(xs, q);
  });
}
LIFT_MEANING(reverse) {
  const Read given(in, e.child(0));
  const auto shape = lengths(*given, static_cast<std::size_t>(op_rank(e)));
  return tabulate(shape, [&](std::vector<std::int64_t> at) {
    for (std::size_t d = 0; d < at.size(); ++d) at[d] = shape[d] - 1 - at[d];
    return element(*given, at);
  });
}
LIFT_MEANING(generate) {
  const Value f = in.eval(e.child(0));
  return tabulate(numbers(in, generate_shape(e)), [&](const std::vector<std::int64_t>& at) {
    std::vector<Value> args;
    for (const auto i : at) args.push_back({i});
    return in.apply(f, std::move(args));
  });
}
LIFT_MEANING(gather) {
  const Read given(in, e.child(0));
  const auto rank = static_cast<std::size_t>(op_rank(e));
  const Boundary b = gather_boundary(e);
  const Value* x = &*given;
  for (std::size_t d = 0; d < rank; ++d) {
    const Value computed = in.eval(e.child(d + 1));
    if (computed.is_poison()) return poison_like(element(*given, std::vector<std::int64_t>(rank, 0)));
    const Array& all = x->array();
    const auto n = static_cast<std::int64_t>(all.size()), i = std::get<std::int64_t>(computed.v);
    const auto there = position_within(b, i, n);
    if (!there && b == Boundary::constant)
      return e.children().size() > rank + 1 ? in.eval(e.children().back())
                                            : rounded(gather_number(e), e.type().scalar());
    if (!there)
      throw UserError("gather: position " + std::to_string(i) + " of an array of " + std::to_string(n) +
                      "; say what is beyond its ends: gather(i, clamp)");
    x = &all[static_cast<std::size_t>(*there)];
  }
  return *x;
}
LIFT_MEANING(concat) {
  Array a = Read(in, e.child(0))->array();
  const Read second(in, e.child(1));
  a.insert(a.end(), second->array().begin(), second->array().end());
  return {std::move(a)};
}
LIFT_MEANING(interleave) {
  std::vector<Read> xs;
  for (const Expr& c : e.children()) xs.emplace_back(in, c);
  Array r;
  for (std::size_t i = 0; i < xs[0]->array().size(); ++i)
    for (const Read& x : xs) r.push_back(x->array().at(i));
  return {std::move(r)};
}
LIFT_MEANING(update) {
  Value base = in.eval(e.child(0));
  const Value block = in.eval(e.child(1));
  const auto offsets = numbers(in, update_offsets(e));
  const std::function<void(Value&, const Value&, std::size_t)> put = [&](Value& to, const Value& from,
                                                                         std::size_t d) {
    if (d == offsets.size()) {
      to = from;
      return;
    }
    Array& a = std::get<Array>(to.v);
    for (std::size_t i = 0; i < from.array().size(); ++i)
      put(a.at(i + static_cast<std::size_t>(offsets[d])), from.array()[i], d + 1);
  };
  put(base, block, 0);
  return base;
}

LIFT_MEANING(map) {
  const Value f = in.eval(e.child(0));
  const Read xs(in, e.child(1));
  return below(*xs, static_cast<std::size_t>(op_rank(e)), [&](const Value& x) { return in.apply(f, {x}); });
}
LIFT_MEANING(reduce) {
  const Value f = in.eval(e.child(0));
  const Read xs(in, e.child(2));
  Value acc = in.eval(e.child(1));
  for (const Value& x : xs->array()) acc = in.apply(f, {std::move(acc), x});
  return acc;
}
LIFT_MEANING(scan) {
  const Value f = in.eval(e.child(0));
  const Read xs(in, e.child(2));
  Value acc = in.eval(e.child(1));
  const Array& elements = xs->array();
  const std::size_t n = elements.size();
  Array r(n);
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t k = is_backward(e.op()) ? n - 1 - step : step;
    r[k] = acc = in.apply(f, {acc, elements[k]});
  }
  return {std::move(r)};
}
LIFT_MEANING(iterate) {
  const Value f = in.eval(e.child(0));
  Value x = in.eval(e.child(1));
  const bool numbered = e.child(0).type().parts().size() == 2;
  const std::int64_t times = in.nat(iterate_times(e));
  for (std::int64_t t = 0; t < times; ++t)
    x = numbered ? in.apply(f, {Value{t}, std::move(x)}) : in.apply(f, {std::move(x)});
  return x;
}
LIFT_MEANING(identity) { return in.eval(e.child(0)); }

/// One number beside another.
template <class T>
static bool compared(Op op, T a, T b) {
  return op == Op::Eq ? a == b : op == Op::Ne ? a != b : op == Op::Lt ? a < b : a <= b;
}

LIFT_MEANING(scalar) {
  std::vector<Value> args;
  for (const Expr& c : e.children()) args.push_back(in.eval(c));
  for (const Value& a : args)
    if (a.is_poison()) return a;
  const auto whole = [&](std::size_t i) {
    return i < args.size() ? std::get<std::int64_t>(args[i].v) : std::int64_t{0};
  };
  if (e.op() >= Op::Eq && e.op() <= Op::Le && is_integer(e.child(0).type().scalar()))
    return {compared(e.op(), whole(0), whole(1))};
  const double a = args[0].number(), b = args.size() > 1 ? args[1].number() : 0;
  switch (e.op()) {
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
      return {compared(e.op(), a, b)};
    case Op::And:
      return {a != 0 && b != 0};
    case Op::Or:
      return {a != 0 || b != 0};
    case Op::Not:
      return {a == 0};
    default:
      break;
  }
  const Scalar s = e.type().scalar();
  if (is_integer(s)) {
    const std::optional<std::int64_t> n = integer(e.op(), s, whole(0), whole(1));
    if (!n || (s == i32 && *n != static_cast<std::int32_t>(*n)))
      throw UserError(std::string(text(e.op())) + " of " + str(args[0]) +
                      (args.size() > 1 ? " and " + str(args[1]) : "") + " is " +
                      (n ? std::to_string(*n) + ", " : "") + "more than an " + text(s) +
                      " holds; compute it of real numbers: f64(...)" + (s == i32 ? ", or of i64(...)" : ""));
    return {*n};
  }
  if (const Elementary* f = elementary(e.op()))
    return {s == f32 ? static_cast<double>(f->of_f32(static_cast<float>(a), static_cast<float>(b)))
                     : f->of_f64(a, b)};
  return rounded(floating(e.op(), a, b), s);
}
LIFT_MEANING(select) {
  const Value c = in.eval(e.child(0));
  if (c.is_poison()) return c;
  return in.eval(e.child(c.number() != 0 ? 1 : 2));
}
LIFT_MEANING(cast) {
  const Value x = in.eval(e.child(0));
  if (x.is_poison()) return x;
  if (e.type() == Type(i32) && !(x.number() > -2147483649.0 && x.number() < 2147483648.0))
    throw UserError("i32 of " + str(x) + ": no i32 holds it; keep it within, min(max(x, -1e9), 1e9)");
  if (e.type() == Type(i64) && !(x.number() >= -0x1p63 && x.number() < 0x1p63))
    throw UserError("i64 of " + str(x) + ": no i64 holds it; keep it within, min(max(x, -1e18), 1e18)");
  if (const auto* n = std::get_if<std::int64_t>(&x.v); n && is_integer(e.type().scalar())) return x;
  return rounded(x.number(), e.type().scalar());
}
LIFT_MEANING(user_fun) {
  std::vector<double> args;
  for (const Expr& c : e.children()) {
    const Value x = in.eval(c);
    if (x.is_poison()) return x;
    if (const auto* n = std::get_if<std::int64_t>(&x.v); n && std::abs(x.number()) > 0x1p53)
      throw UserError(user_name(e.attr()) + " of " + str(x) +
                      ": C functions are checked on whole numbers up to 2^53; pass smaller ones");
    args.push_back(x.number());
  }
  return rounded(user_meaning(e.attr())(args), e.type().scalar());
}

}  // namespace lift::meaning
