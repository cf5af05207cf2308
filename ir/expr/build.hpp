// Builders: how expressions are written in C++. Every builder types its result at once and reports errors
// with the caller's source line.
//
//   auto blur = fun(array(f32, n), [](Expr xs) {
//     return xs | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0; });
//   });
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "ir/error.hpp"
#include "ir/expr/expr.hpp"

namespace lift {

using Where = std::source_location;
using enum Boundary;

/// A primitive (or several, one after the other) without its array: `xs | slide(3, 1)` is slide applied to
/// xs.
struct Partial {
  std::function<Expr(const Expr&)> apply;
  Expr operator()(const Expr& xs) const { return apply(xs); }
};
inline Expr operator|(const Expr& xs, const Partial& f) { return f.apply(xs); }
inline Partial operator|(const Partial& f, const Partial& g) {  ///< first f, then g
  return {[f, g](const Expr& xs) { return g.apply(f.apply(xs)); }};
}

// ---- functions
// -------------------------------------------------------------------------------------------------

namespace detail {
template <class F, std::size_t... I>
constexpr bool takes_impl(std::index_sequence<I...>) {
  return std::is_invocable_r_v<Expr, F, decltype((void)I, std::declval<Expr>())...>;
}
template <class F, std::size_t N>
constexpr bool takes = takes_impl<F>(std::make_index_sequence<N>{});
/// Number of Expr arguments of a callable (1..16).
template <class F, std::size_t N = 1>
constexpr std::size_t arity() {
  static_assert(N <= 16, "a function of an expression takes 1 to 16 lift::Expr and returns lift::Expr");
  if constexpr (N > 16 || takes<F, N>)
    return N;
  else
    return arity<F, N + 1>();
}
template <class F, std::size_t... I>
Expr call(F&& f, std::span<const Expr> a, std::index_sequence<I...>) {
  return f(a[I]...);
}
Expr component(const Expr& tuple, std::size_t i);
}  // namespace detail

/// Function from a C++ callable of as many `Expr` as there are parameter types.
template <class F>
Expr fun(const std::vector<Type>& parameters, F&& body, Where where = Where::current()) {
  constexpr std::size_t n = detail::arity<F>();
  std::vector<Expr> ps;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    ps.push_back(fresh_param("x" + std::to_string(i), parameters[i]));
  if (ps.size() != n) throw UserError("fun: the callable and the parameter list differ in length");
  return lambda(ps, detail::call(body, ps, std::make_index_sequence<n>{}), where);
}
template <class F>
Expr fun(const Type& parameter, F&& body, Where where = Where::current()) {
  return fun(std::vector<Type>{parameter}, std::forward<F>(body), where);
}

/// Function of one argument of type `t`: an expression of function type as it is, or a callable. A callable
/// of several arguments takes the components of a tuple apart.
template <class F>
Expr function_of(const Type& t, F&& f, Where where = Where::current()) {
  if constexpr (std::is_same_v<std::decay_t<F>, Expr>) {
    return f;
  } else {
    constexpr std::size_t n = detail::arity<F>();
    const Expr x = fresh_param("x", t);
    if constexpr (n == 1) {
      return lambda({x}, f(x), where);
    } else {
      std::vector<Expr> parts;
      for (std::size_t i = 0; i < n; ++i) parts.push_back(detail::component(x, i));
      return lambda({x}, detail::call(f, parts, std::make_index_sequence<n>{}), where);
    }
  }
}
Expr apply(const Expr& fn, const std::vector<Expr>& arguments, Where where = Where::current());
Expr compose(const Expr& f, const Expr& g, Where where = Where::current());  ///< \x. f (g x)

// ---- arrays: rank-D primitives; `rank` is the number of dimensions acted on
// ------------------------------------------

Expr map_with(Op op, int rank, const Expr& f, const Expr& xs, const std::vector<std::int64_t>& more = {},
              Where where = Where::current());
template <class F>
Expr map_n(int rank, F&& f, const Expr& xs, Where where = Where::current()) {
  return map_with(Op::Map, rank, function_of(element_of(xs.type(), rank), std::forward<F>(f), where), xs, {},
                  where);
}
template <class F>
Partial map_n(int rank, F f, Where where = Where::current()) {
  return {[=](const Expr& xs) { return map_n(rank, f, xs, where); }};
}
template <class F>
Partial map(F f, Where where = Where::current()) {
  return map_n(1, f, where);
}
template <class F>
Partial map2(F f, Where where = Where::current()) {
  return map_n(2, f, where);
}
template <class F>
Partial map3(F f, Where where = Where::current()) {
  return map_n(3, f, where);
}
template <class F>
Expr map(F&& f, const Expr& xs, Where where = Where::current()) {
  return map_n(1, f, xs, where);
}

/// reduce(f, init): f(accumulator, element) from the left; n.T -> U.
Expr reduce(const Expr& f, const Expr& init, const Expr& xs, Where where = Where::current());
template <class F>
Partial reduce(F f, Expr init, Where where = Where::current()) {
  return {[=](const Expr& xs) {
    return reduce(fun({init.type(), xs.type().element()}, f, where), init, xs, where);
  }};
}
Partial sum(Where where = Where::current());  ///< reduce(+, 0)
/// scan(f, init): element k is f(element k - 1, xs[k]), the first one f(init, xs[0]); n.T -> n.U.
Expr scan(const Expr& f, const Expr& init, const Expr& xs, Where where = Where::current());
/// scan_back(f, init): from the last to the first, element k is f(element k + 1, xs[k]), the last one f(init,
/// xs[n - 1]).
Expr scan_back(const Expr& f, const Expr& init, const Expr& xs, Where where = Where::current());
template <class F>
Partial scan(F f, Expr init, Where where = Where::current()) {
  return {[=](const Expr& xs) {
    return scan(fun({init.type(), xs.type().element()}, f, where), init, xs, where);
  }};
}
template <class F>
Partial scan_back(F f, Expr init, Where where = Where::current()) {
  return {[=](const Expr& xs) {
    return scan_back(fun({init.type(), xs.type().element()}, f, where), init, xs, where);
  }};
}
/// f applied `times` times; f : T -> T.
Expr iterate(const Nat& times, const Expr& f, const Expr& x, Where where = Where::current());

Expr zip_n(int rank, const std::vector<Expr>& arrays, Where where = Where::current());
inline Expr zip(const std::vector<Expr>& arrays, Where where = Where::current()) {
  return zip_n(1, arrays, where);
}
Expr unzip_n(int rank, const Expr& xs, Where where = Where::current());
inline Expr unzip(const Expr& xs, Where where = Where::current()) {
  return unzip_n(1, xs, where);
}  ///< n.{T, U} -> {n.T, n.U}
Expr tuple(const std::vector<Expr>& parts, Where where = Where::current());
Expr get(int i, const Expr& t, Where where = Where::current());
Expr components_taken(const Expr& e);  ///< {a, b}.0 becomes a, everywhere
Expr at(const std::vector<Nat>& position, const Expr& xs, Where where = Where::current());

/// split(k): (m*k).T -> m.k.T; rank D splits each of D dimensions: outer indices first, then inner.
Expr split(const std::vector<Nat>& k, const Expr& xs, Where where = Where::current());
inline Partial split(const Nat& k, Where where = Where::current()) {
  return {[=](const Expr& xs) { return split(std::vector{k}, xs, where); }};
}
Expr join_n(int rank, const Expr& xs, Where where = Where::current());
inline Expr join(const Expr& xs, Where where = Where::current()) { return join_n(1, xs, where); }
inline Partial join(Where where = Where::current()) {
  return {[=](const Expr& xs) { return join(xs, where); }};
}
/// slide(size, step): windows; rank D gives all D window positions first, then the D window dimensions.
Expr slide(const std::vector<Nat>& sizes, const std::vector<Nat>& steps, const Expr& xs,
           Where where = Where::current());
Partial slide_n(int rank, const Nat& size, const Nat& step, Where where = Where::current());
inline Partial slide(const Nat& size, const Nat& step, Where where = Where::current()) {
  return slide_n(1, size, step, where);
}
inline Partial slide2(const Nat& size, const Nat& step, Where where = Where::current()) {
  return slide_n(2, size, step, where);
}
inline Partial slide3(const Nat& size, const Nat& step, Where where = Where::current()) {
  return slide_n(3, size, step, where);
}
/// pad(low, high, boundary): `value` is used by Boundary::constant. As an expression, a scalar of the
/// elements' type, it is used by constant and odd (see Boundary).
Expr pad(const std::vector<Nat>& low, const std::vector<Nat>& high, Boundary b, const Expr& xs,
         double value = 0, Where where = Where::current());
Expr pad(const std::vector<Nat>& low, const std::vector<Nat>& high, Boundary b, const Expr& xs,
         const Expr& value, Where where = Where::current());
Partial pad_n(int rank, const Nat& low, const Nat& high, Boundary b, double value = 0,
              Where where = Where::current());
Partial pad_n(int rank, const Nat& low, const Nat& high, Boundary b, const Expr& value,
              Where where = Where::current());
inline Partial pad(const Nat& l, const Nat& h, Boundary b, double value = 0, Where where = Where::current()) {
  return pad_n(1, l, h, b, value, where);
}
inline Partial pad2(const Nat& l, const Nat& h, Boundary b, double value = 0,
                    Where where = Where::current()) {
  return pad_n(2, l, h, b, value, where);
}
inline Partial pad3(const Nat& l, const Nat& h, Boundary b, double value = 0,
                    Where where = Where::current()) {
  return pad_n(3, l, h, b, value, where);
}
/// drop(low, high): removes elements at both ends of each dimension.
Expr drop(const std::vector<Nat>& low, const std::vector<Nat>& high, const Expr& xs,
          Where where = Where::current());
Partial drop_n(int rank, const Nat& low, const Nat& high, Where where = Where::current());
inline Partial drop(const Nat& l, const Nat& h, Where where = Where::current()) {
  return drop_n(1, l, h, where);
}
/// A number for each dimension: xs | drop({1, 0}, {1, 2}).
inline Partial drop(const std::vector<Nat>& low, const std::vector<Nat>& high,
                    Where where = Where::current()) {
  return {[=](const Expr& xs) { return drop(low, high, xs, where); }};
}
inline Partial drop(std::initializer_list<Nat> low, std::initializer_list<Nat> high,
                    Where where = Where::current()) {
  return drop(std::vector<Nat>(low), std::vector<Nat>(high), where);  // also where {1} may be one number
}
inline Partial drop2(const Nat& l, const Nat& h, Where where = Where::current()) {
  return drop_n(2, l, h, where);
}
inline Partial drop3(const Nat& l, const Nat& h, Where where = Where::current()) {
  return drop_n(3, l, h, where);
}
Partial take(const Nat& n, Where where = Where::current());  ///< the first n elements
/// transpose(p): dimension d of the result is dimension p[d] of the argument.
Expr transpose(const std::vector<int>& permutation, const Expr& xs, Where where = Where::current());
inline Expr transpose(const Expr& xs, Where where = Where::current()) { return transpose({1, 0}, xs, where); }
/// The elements from the last to the first, in each of `rank` dimensions.
Expr reverse_n(int rank, const Expr& xs, Where where = Where::current());
inline Expr reverse(const Expr& xs, Where where = Where::current()) { return reverse_n(1, xs, where); }
inline Partial reverse(Where where = Where::current()) {
  return {[=](const Expr& xs) { return reverse(xs, where); }};
}
/// generate(shape, f): element at (i, j, ...) is f(i, j, ...), the indices being i32.
Expr generate(const std::vector<Nat>& shape, const Expr& f, Where where = Where::current());
template <class F>
Expr generate(const std::vector<Nat>& shape, F f, Where where = Where::current()) {
  return generate(shape, fun(std::vector<Type>(shape.size(), Type(i32)), f, where), where);
}
/// gather({j, i}, xs, boundary): the element of xs at computed positions, i32s, one for each of so many
/// dimensions. `boundary` is what is beyond the ends, as in pad, however far: clamp, wrap, mirror, reflect or
/// constant; undefined, the default, where the positions are proved to be within. Positions may also be
/// arrays of i32, of one shape: then so is the result.
Expr gather(const std::vector<Expr>& positions, const Expr& xs, Boundary boundary = Boundary::undefined,
            double value = 0, Where where = Where::current());
Expr gather(const std::vector<Expr>& positions, const Expr& xs, Boundary boundary, const Expr& value,
            Where where = Where::current());
inline Expr gather(const Expr& position, const Expr& xs, Boundary boundary, const Expr& value,
                   Where where = Where::current()) {
  return gather(std::vector{position}, xs, boundary, value, where);
}
inline Expr gather(const Expr& position, const Expr& xs, Boundary boundary = Boundary::undefined,
                   double value = 0, Where where = Where::current()) {
  return gather(std::vector{position}, xs, boundary, value, where);
}
Expr iota(const Nat& n, Where where = Where::current());  ///< 0, 1, ..., n - 1
/// Index tuples {i0, ..., iD-1}, each plus its offset: generate over the identity.
Expr positions(const std::vector<Nat>& shape, const std::vector<Nat>& offsets = {},
               Where where = Where::current());
Expr concat(const Expr& a, const Expr& b, Where where = Where::current());
/// interleave(x0, ..., xm-1): element m*i + p is xp[i].
Expr interleave(const std::vector<Expr>& arrays, Where where = Where::current());
/// `base` with the block at `offsets` replaced by `block`.
Expr update(const Expr& base, const std::vector<Nat>& offsets, const Expr& block,
            Where where = Where::current());
Expr let(const Expr& value, const std::function<Expr(Expr)>& body, Where where = Where::current());

// ---- scalars
// -----------------------------------------------------------------------------------------------------

Expr literal(double v, Scalar s);
Expr nat_value(const Nat& n);  ///< a length as an i32
Expr unary(Op op, const Expr& a, Where where = Where::current());
Expr binary(Op op, const Expr& a, const Expr& b, Where where = Where::current());
Expr select(const Expr& c, const Expr& a, const Expr& b, Where where = Where::current());
/// Of u8, and to u8, by way of i32.
Expr cast(Scalar s, const Expr& a, Where where = Where::current());
/// An operand of arithmetic, a position: u8 as an i32, others as they are.
Expr promoted(const Expr& a, Where where = Where::current());

/// An operand of an operator, and the line that it stands in: a converting constructor sees its caller's line
/// where an operator, which takes no further argument, does not.
struct Located {
  Expr e;
  Where where;
  Located(const Expr& x, Where w = Where::current()) : e(x), where(w) {}  // NOLINT
};
/// The same, or a number that takes the other operand's type.
struct Operand {
  Expr e;
  double number = 0;
  Where where;
  Operand(const Expr& x, Where w = Where::current()) : e(x), where(w) {}  // NOLINT
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T v, Where w = Where::current())
      : number(static_cast<double>(v)), where(w) {}  // NOLINT
  Expr as(const Expr& other) const;
};
Expr binary(Op op, const Operand& a, const Operand& b, Where where = Where::current());
inline Expr operator+(const Operand& a, const Operand& b) { return binary(Op::Add, a, b, a.where); }
inline Expr operator-(const Operand& a, const Operand& b) { return binary(Op::Sub, a, b, a.where); }
inline Expr operator*(const Operand& a, const Operand& b) { return binary(Op::Mul, a, b, a.where); }
inline Expr operator/(const Operand& a, const Operand& b) { return binary(Op::Div, a, b, a.where); }
inline Expr operator%(const Operand& a, const Operand& b) { return binary(Op::Mod, a, b, a.where); }
inline Expr operator<(const Operand& a, const Operand& b) { return binary(Op::Lt, a, b, a.where); }
inline Expr operator<=(const Operand& a, const Operand& b) { return binary(Op::Le, a, b, a.where); }
inline Expr operator>(const Operand& a, const Operand& b) { return binary(Op::Lt, b, a, a.where); }
inline Expr operator>=(const Operand& a, const Operand& b) { return binary(Op::Le, b, a, a.where); }
template <class A, class B>
concept ScalarOperands = (std::same_as<std::decay_t<A>, Expr> &&
                          (std::same_as<std::decay_t<B>, Expr> || std::is_arithmetic_v<std::decay_t<B>>)) ||
                         (std::is_arithmetic_v<std::decay_t<A>> && std::same_as<std::decay_t<B>, Expr>);
template <class A, class B>
requires ScalarOperands<A, B> Expr eq(const A& a, const B& b, Where where = Where::current()) {
  return binary(Op::Eq, Operand(a), Operand(b), where);
}
template <class A, class B>
requires ScalarOperands<A, B> Expr min(const A& a, const B& b, Where where = Where::current()) {
  return binary(Op::Min, Operand(a), Operand(b), where);
}
template <class A, class B>
requires ScalarOperands<A, B> Expr max(const A& a, const B& b, Where where = Where::current()) {
  return binary(Op::Max, Operand(a), Operand(b), where);
}
inline Expr operator-(const Located& a) { return unary(Op::Neg, a.e, a.where); }
inline Expr abs(const Expr& a, Where where = Where::current()) { return unary(Op::Abs, a, where); }
inline Expr sqrt(const Expr& a, Where where = Where::current()) { return unary(Op::Sqrt, a, where); }
inline Expr cbrt(const Expr& a, Where where = Where::current()) { return unary(Op::Cbrt, a, where); }
inline Expr exp(const Expr& a, Where where = Where::current()) { return unary(Op::Exp, a, where); }
inline Expr exp2(const Expr& a, Where where = Where::current()) { return unary(Op::Exp2, a, where); }
inline Expr log(const Expr& a, Where where = Where::current()) { return unary(Op::Log, a, where); }
inline Expr log2(const Expr& a, Where where = Where::current()) { return unary(Op::Log2, a, where); }
inline Expr log10(const Expr& a, Where where = Where::current()) { return unary(Op::Log10, a, where); }
inline Expr sin(const Expr& a, Where where = Where::current()) { return unary(Op::Sin, a, where); }
inline Expr cos(const Expr& a, Where where = Where::current()) { return unary(Op::Cos, a, where); }
inline Expr tan(const Expr& a, Where where = Where::current()) { return unary(Op::Tan, a, where); }
inline Expr asin(const Expr& a, Where where = Where::current()) { return unary(Op::Asin, a, where); }
inline Expr acos(const Expr& a, Where where = Where::current()) { return unary(Op::Acos, a, where); }
inline Expr atan(const Expr& a, Where where = Where::current()) { return unary(Op::Atan, a, where); }
inline Expr sinh(const Expr& a, Where where = Where::current()) { return unary(Op::Sinh, a, where); }
inline Expr cosh(const Expr& a, Where where = Where::current()) { return unary(Op::Cosh, a, where); }
inline Expr tanh(const Expr& a, Where where = Where::current()) { return unary(Op::Tanh, a, where); }
inline Expr erf(const Expr& a, Where where = Where::current()) { return unary(Op::Erf, a, where); }
inline Expr floor(const Expr& a, Where where = Where::current()) { return unary(Op::Floor, a, where); }
inline Expr ceil(const Expr& a, Where where = Where::current()) { return unary(Op::Ceil, a, where); }
inline Expr round(const Expr& a, Where where = Where::current()) { return unary(Op::Round, a, where); }
template <class A, class B>
requires ScalarOperands<A, B> Expr pow(const A& a, const B& b, Where where = Where::current()) {
  return binary(Op::Pow, Operand(a), Operand(b), where);
}
template <class A, class B>
requires ScalarOperands<A, B> Expr atan2(const A& a, const B& b, Where where = Where::current()) {
  return binary(Op::Atan2, Operand(a), Operand(b), where);
}
template <class A, class B>
requires ScalarOperands<A, B> Expr hypot(const A& a, const B& b, Where where = Where::current()) {
  return binary(Op::Hypot, Operand(a), Operand(b), where);
}
// These would be ambiguous with the built-in ones if they converted their operands: they report the left
// operand's line.
inline Expr operator&&(const Expr& a, const Expr& b) { return binary(Op::And, a, b, origin(a)); }
inline Expr operator||(const Expr& a, const Expr& b) { return binary(Op::Or, a, b, origin(a)); }
inline Expr operator!(const Expr& a) { return unary(Op::Not, a, origin(a)); }

/// An opaque scalar function with a C body, as Lift's UserFun: named, typed parameters; the body is the text
/// between the braces, e.g. user_fun("square", {{"x", f64}}, f64, "return x * x;"). `meaning` evaluates it in
/// the interpreter; arguments and result as double.
using UserMeaning = std::function<double(std::span<const double>)>;
struct UserParameter {
  std::string name;
  Scalar type;
};
class UserFun {
 public:
  UserFun(std::string name, std::vector<UserParameter> parameters, Scalar result, std::string c_body,
          UserMeaning meaning);
  template <class... A>
  Expr operator()(const Located& first, const A&... more) const {
    return call({first.e, more...}, first.where);
  }
  Expr call(const std::vector<Expr>& arguments, Where where = Where::current()) const;

 private:
  Attr attr_;
};
/// The meaning registered for a user function's name and body; throws UserError when there is none.
const UserMeaning& user_meaning(const Attr& attr);

}  // namespace lift
