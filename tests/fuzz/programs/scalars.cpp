// Numbers: arithmetic that stays within bounds, conditions, reductions, functions of users.
#include "ir/expr/elementary.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {
namespace {

double halved(std::span<const double> v) { return static_cast<double>(0.5 * v[0] + 1); }
double larger(std::span<const double> v) { return v[0] < v[1] ? v[1] : v[0]; }

const UserFun& user_function(Scalar s, bool two) {
  static const UserFun half32("halved_f", {{"x", f32}}, f32, "return 0.5f * x + 1.0f;", halved);
  static const UserFun half64("halved_d", {{"x", f64}}, f64, "return 0.5 * x + 1;", halved);
  static const UserFun larger32("larger_f", {{"x", f32}, {"low", f32}}, f32, "return x < low ? low : x;",
                                larger);
  static const UserFun larger64("larger_d", {{"x", f64}, {"low", f64}}, f64, "return x < low ? low : x;",
                                larger);
  static const UserFun larger_int("larger_i", {{"x", i32}, {"low", i32}}, i32, "return x < low ? low : x;",
                                  larger);
  static const UserFun larger_long("larger_l", {{"x", i64}, {"low", i64}}, i64, "return x < low ? low : x;",
                                   larger);
  static const UserFun larger_byte("larger_b", {{"x", u8}, {"low", u8}}, u8, "return x < low ? low : x;",
                                   larger);
  if (s == i32) return larger_int;
  if (s == i64) return larger_long;
  if (s == u8) return larger_byte;
  if (s == f32) return two ? larger32 : half32;
  return two ? larger64 : half64;
}

}  // namespace

void know_user_functions() { user_function(f64, true); }

Expr Generator::literal_of(Scalar s) {
  if (s == boolean) return literal(number(0, 1), s);
  if (s == u8) return literal(number(0, 255), s);
  if (is_integer(s)) return literal(number(-7, 9), s);
  return literal(number(-16, 16) / 4.0, s);
}

/// The value, or one near 0 where it may be large: what scans and iterations apply again and again.
Expr Generator::bounded(const Expr& e) {
  switch (e.type().scalar()) {
    case Scalar::boolean:
    case Scalar::u8:
      return e;
    case Scalar::i32:
      return e % 997;
    case Scalar::i64:
      return e % 9973;
    default:
      return min(max(e, -64.0), 64.0);
  }
}

/// A number that the variable holds, as a number of type s; nothing when it holds none that can be reached.
Expr Generator::part_of(const Expr& variable, Scalar s) {
  const Type& t = variable.type();
  if (t.is_tuple()) return part_of(get(number(0, static_cast<int>(t.parts().size()) - 1), variable), s);
  if (t.is_array()) {
    const std::int64_t n = value_of(t.length());
    if (n <= 0) return {};
    Nat at = t.length().is_constant() ? Nat(number(0, static_cast<int>(n) - 1)) : Nat(0);
    if (!t.length().is_constant() && chance(40)) at = t.length() - 1;
    return part_of(variable[at], s);
  }
  if (t.is_function()) return {};
  const Scalar from = t.scalar();
  if (from == s) return variable;
  if (!is_float(s) && s != boolean && is_float(from)) return cast(s, min(max(variable, -50.0), 50.0));
  if (s == i32 && from == i64) return cast(i32, bounded(variable));
  if (s == u8 && from == i64) return cast(u8, bounded(variable));
  if (s == boolean) return is_float(from) ? variable < 0.25 : variable < 2;
  return cast(s, variable);
}

Expr Generator::scalar_leaf(Scalar s, const Scope& scope) {
  for (int tries = 0; tries < 4 && !scope.empty(); ++tries) {
    // The innermost binder's variables more often than those around it.
    const std::size_t back = static_cast<std::size_t>(std::min(number(0, 3), number(0, 3)));
    const Expr& v = back < scope.size() ? scope[scope.size() - 1 - back] : one_of(scope);
    if (const Expr e = part_of(v, s)) return e;
  }
  const int k = number(0, 9);
  if (k < 2 && is_float(s))
    if (const Expr a = argument(s)) return a;
  if (k == 2 && s == i32) return nat_value(one_of(sizes_));
  return literal_of(s);
}

Expr Generator::scalar(Scalar s, const Scope& scope, int fuel) {
  if (fuel <= 0 || chance(12)) return scalar_leaf(s, scope);
  const int k = number(0, 19);
  if (k == 0) return reduced(s, scope, fuel - 1);
  if (k == 1 && s != boolean) return called(s, scope, fuel - 1);
  if (k == 7)
    if (const Expr e = gathered(s, scope, fuel - 1)) return e;
  if (k == 2) {
    const Type t = scalar_type();
    return let(grown(t, scope, fuel - 1), [&](Expr x) {
      Scope inner = scope;
      inner.push_back(x);
      return scalar(s, inner, fuel - 1);
    });
  }
  if (k < 6)
    return select(condition(scope, fuel - 1), scalar(s, scope, fuel - 1), scalar(s, scope, fuel - 1));
  if (k == 6) {
    const Expr e = scalar(scalar_type(), scope, fuel - 1);
    return part_of(e, s);
  }
  if (s == boolean) return condition(scope, fuel);
  if (s == u8) return cast(u8, integer(i32, scope, fuel));
  return is_integer(s) ? integer(s, scope, fuel) : floating(s, scope, fuel);
}

Expr Generator::floating(Scalar s, const Scope& scope, int fuel) {
  const auto part = [&] { return scalar(s, scope, fuel - 1); };
  const Expr a = part();
  switch (number(0, 12)) {
    case 0:
      return -a;
    case 1:
      return abs(a);
    case 2:
      return sqrt(abs(a));
    case 12:
      return elementary_of(a, part());
    case 3:
      return min(a, part());
    case 4:
      return max(a, part());
    case 5:
      return a / (abs(part()) + 1.0);
    case 6:
      return bounded(a) * bounded(part());
    case 7:
      return a * (number(-8, 8) / 4.0);
    case 8:
    case 9:
      return a - part();
    default:
      return a + part();
  }
}

/// Of arguments for which it is some number of moderate size.
Expr Generator::elementary_of(const Expr& a, const Expr& b) {
  const auto all = all_elementary();
  const Op op = all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))].op;
  const Expr small = bounded(a) * 0.015625, positive = abs(bounded(a)) + 0.25;
  switch (op) {
    case Op::Log:
    case Op::Log2:
    case Op::Log10:
    case Op::Sqrt:
      return unary(op, positive);
    case Op::Pow:
      return pow(positive, bounded(b) * 0.015625);
    case Op::Atan2:
    case Op::Hypot:
      return binary(op, bounded(a), bounded(b));
    default:
      return unary(op, small);
  }
}

Expr Generator::integer(Scalar s, const Scope& scope, int fuel) {
  const auto part = [&] { return scalar(s, scope, fuel - 1); };
  const Expr a = part();
  switch (number(0, 10)) {
    case 0:
      return -a;
    case 1:
      return abs(a);
    case 2:
      return min(a, part());
    case 3:
      return max(a, part());
    case 4:
      return bounded(a) * bounded(part());
    case 5:
      return a / number(1, 5);
    case 6:
      return a % (number(0, 1) == 0 ? number(2, 5) : -3);
    case 7:
      return chance(50) ? a / part() : a % part();
    case 8:
      return a - part();
    default:
      return a + part();
  }
}

Expr Generator::condition(const Scope& scope, int fuel) {
  if (fuel <= 0) return scalar_leaf(boolean, scope);
  switch (number(0, 8)) {
    case 0:
      return condition(scope, fuel - 1) && condition(scope, fuel - 1);
    case 1:
      return condition(scope, fuel - 1) || condition(scope, fuel - 1);
    case 2:
      return !condition(scope, fuel - 1);
    case 3:
      return scalar_leaf(boolean, scope);
    case 4:
      return eq(scalar(i32, scope, fuel - 1) % 2, 0);
    default: {
      const Scalar s = std::vector{f64, f32, i32, i64, u8}[static_cast<std::size_t>(number(0, 4))];
      const std::vector<Op> all{Op::Lt, Op::Le, Op::Eq, Op::Ne};
      return binary(one_of(all), scalar(s, scope, fuel - 1), scalar(s, scope, fuel - 1));
    }
  }
}

/// A reduction of an array that is in scope, or of a new one.
Expr Generator::reduced(Scalar s, const Scope& scope, int fuel) {
  std::vector<Expr> arrays;
  for (const Expr& v : scope)
    if (v.type().is_array() && v.type().element().is_scalar()) arrays.push_back(v);
  const Nat n = chance(50) ? Nat(number(1, 5)) : extent(0);
  const Expr xs =
      !arrays.empty() && chance(70) ? one_of(arrays) : grown(Type::array(n, scalar_type()), scope, fuel - 1);
  const auto f = [&](Expr acc, Expr x) -> Expr {
    const Expr e = part_of(x, s);
    if (s == boolean) return chance(50) ? acc || e : acc && e;
    switch (number(0, 4)) {
      case 0:
        return s == u8 ? select(acc < e, acc, e) : min(acc, e);
      case 1:
        return s == u8 ? select(acc < e, e, acc) : max(acc, e);
      case 2:
        return bounded(grown(Type(s), {acc, x}, fuel - 1));
      default:
        return s == u8 ? cast(u8, acc + e) : acc + (is_integer(s) ? bounded(e) : e);
    }
  };
  return reduce(fun({Type(s), xs.type().element()}, f), literal_of(s), xs);
}

/// Any i32, or one that is proved to be within.
Expr Generator::position_in(const Nat& length, bool& within, const Scope& scope, int fuel) {
  const Expr i = bounded(scalar(i32, scope, fuel)), n = nat_value(length);
  switch (number(0, 5)) {
    case 0:
      return min(max(i, 0), n - 1);
    case 1:
      return max(min(i, n - 1), 0);
    case 2:
      return i % n;
    case 3:
      return select(condition(scope, fuel), n - 1, abs(i) % n);
    default:
      within = false;
      return i;
  }
}

/// An element of an array in scope, of an argument or of a new array, at positions that are computed.
Expr Generator::gathered(Scalar s, const Scope& scope, int fuel) {
  std::vector<Expr> arrays;
  for (const std::vector<Expr>* from : {&scope, static_cast<const Scope*>(&arguments_)})
    for (const Expr& v : *from)
      if (v.type().is_array() && element_of(v.type()).is_scalar()) arrays.push_back(v);
  const Expr xs =
      !arrays.empty() && chance(85) ? one_of(arrays) : grown(array(shape(number(1, 2)), s), scope, fuel / 2);
  const Type from = element_of(xs.type());
  bool within = true;
  std::vector<Expr> at;
  for (const Nat& n : shape_of(xs.type())) {
    if (!proves_at_least(n, 1)) return {};
    at.push_back(position_in(n, within, scope, fuel - 1));
  }
  if (chance(20))
    for (Expr& p : at) p = within ? cast(i64, p) : cast(i64, p) * literal(3e9, i64);
  std::vector<Boundary> all{clamp, wrap, mirror, reflect, constant};
  if (within) all.insert(all.end(), 4, Boundary::undefined);
  const Boundary b = one_of(all);
  const Expr e = b == constant && chance(40) ? gather(at, xs, b, scalar(from.scalar(), scope, 1))
                                             : gather(at, xs, b, b == constant ? number(0, 1) : 0);
  return part_of(e, s);
}

Expr Generator::called(Scalar s, const Scope& scope, int fuel) {
  const bool two = !is_float(s) || chance(50);
  std::vector<Expr> all{scalar(s, scope, fuel)};
  if (two) all.push_back(scalar(s, scope, fuel));
  return user_function(s, two).call(all);
}

}  // namespace lift::fuzz
