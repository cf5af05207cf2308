#include "rewrite/own/random_expressions.hpp"

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {

Type RandomExpressions::element() {
  const int k = n(0, 5);
  return k < 3 ? Type(scalar_) : k < 5 ? Type::tuple({scalar_, scalar_}) : Type::array(2, scalar_);
}

Expr RandomExpressions::array(const std::vector<Nat>& shape, const Type& element) {
  return param("p" + std::to_string(names_++), lift::array(shape, element));
}

Expr RandomExpressions::scalar_argument() { return param("p" + std::to_string(names_++), scalar_); }

double RandomExpressions::coefficient() {
  constexpr double few[] = {-2, -1.5, -0.5, 0.25, 0.75, 3};
  return readable_ ? few[n(0, 5)] : real();
}

Expr RandomExpressions::scalar_from(const Expr& x) {
  const Type& t = x.type();
  if (t.is_scalar()) return t.scalar() == scalar_ ? x : cast(scalar_, x);
  Expr sum;
  const auto add = [&](const Expr& e) {
    const Expr part = e * literal(coefficient(), scalar_);
    sum = sum ? sum + part : part;
  };
  if (t.is_tuple())
    for (int i = 0; i < static_cast<int>(t.parts().size()); ++i) add(scalar_from(get(i, x)));
  else
    for (std::int64_t i = 0; i < *t.length().constant(); ++i) add(scalar_from(x[Nat(i)]));
  return sum;
}

Expr RandomExpressions::make_from(const Expr& x, const Type& out) {
  if (out.is_scalar()) {
    const Expr affine = scalar_from(x) * literal(coefficient(), scalar_) +
                        (coin() ? param("c", scalar_) : literal(coefficient(), scalar_));
    // What holds for affine functions only, as that a mean may be taken before or after, is no law.
    const Expr made = n(0, 2) == 0 ? affine * affine : affine;
    return out.scalar() == scalar_ ? made : cast(out.scalar(), made);
  }
  if (out.is_array())
    return generate({out.length()},
                    lift::fun(Type(i32), [&](Expr i) { return numbered(i, make_from(x, out.element())); }));
  std::vector<Expr> parts;
  for (const Type& p : out.parts()) parts.push_back(make_from(x, p));
  return tuple(parts);
}

/// Other values for other i.
Expr RandomExpressions::numbered(const Expr& i, const Expr& made) {
  if (made.type().is_scalar() && made.type().scalar() == scalar_) return cast(scalar_, i) + made;
  return made;
}

Expr RandomExpressions::fun(const Type& in, const Type& out) {
  return lift::fun(in, [&](Expr x) { return make_from(x, out); });
}
Expr RandomExpressions::fun(const std::vector<Type>& in, const Type& out) {
  return function(in, [&](std::span<const Expr> x) {
    return make_from(x.size() == 1 ? x[0] : tuple({x.begin(), x.end()}), out);
  });
}
Expr RandomExpressions::fun2(const Type& acc, const Type& in) {
  return lift::fun({acc, in},
                   [&](Expr a, Expr x) { return a * literal(coefficient(), scalar_) + scalar_from(x); });
}

Value RandomExpressions::value(const Type& t) {
  if (t.is_tuple()) {
    Value::Tuple parts;
    for (const Type& p : t.parts()) parts.parts.push_back(value(p));
    return {parts};
  }
  if (t.is_array()) {
    Value::Array elements;
    for (std::int64_t i = 0; i < *t.length().constant(); ++i) elements.push_back(value(t.element()));
    return {elements};
  }
  if (t.scalar() == i32) return {std::int64_t{n(0, 5)}};
  if (t.scalar() == boolean) return {coin()};
  const double number = real();
  return {t.scalar() == f32 ? static_cast<double>(static_cast<float>(number)) : number};
}

Program whole_program(const Expr& e) {
  Program p{"test", params_of(e), e, {}};
  for (const Expr& a : p.arguments)
    if (a.type().is_array()) p.overwritable.push_back(param_name(a));
  return p;
}

}  // namespace lift
