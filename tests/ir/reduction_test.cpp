// Functions of reductions: which are known to be associative, and compensated sums.
#include <doctest/doctest.h>

#include "ir/expr/interpret.hpp"
#include "ir/expr/reduction.hpp"

using namespace lift;

namespace reduction_test {

TEST_CASE("functions known to be associative, with their units") {
  const auto why = [](double z, const std::function<Expr(Expr, Expr)>& f) {
    return why_in_order(fun({Type(f64), Type(f64)}, f), literal(z, f64));
  };
  CHECK(why(0, [](Expr a, Expr x) { return a + x; }).empty());
  CHECK(why(1, [](Expr a, Expr x) { return x * a; }).empty());
  CHECK(why(7, [](Expr a, Expr x) { return max(a, x); }).empty());
  CHECK(why(-7, [](Expr a, Expr x) { return min(a, x); }).empty());
  CHECK_FALSE(why(-7, [](Expr a, Expr x) { return min(x, a); }).empty());  // begins anew after a NaN
  CHECK(why_in_order(fun({Type(i32), Type(i32)}, [](Expr a, Expr x) { return min(x, a); }), literal(0, i32))
            .empty());
  CHECK_FALSE(why(1, [](Expr a, Expr x) { return a + x; }).empty());
  CHECK_FALSE(why(0, [](Expr a, Expr x) { return a - x; }).empty());
  CHECK_FALSE(why(0, [](Expr a, Expr x) { return a + x * x; }).empty());
  CHECK_FALSE(why(0, [](Expr a, Expr) { return a + a; }).empty());
  const Type pair = Type::tuple({f64, f64});
  const Expr zero = literal(0, f64);
  const auto both = [&](int second) {
    return fun({pair, pair}, [&](Expr a, Expr x) {
      return tuple({max(get(0, a), get(0, x)), get(1, a) + get(second, x)});
    });
  };
  CHECK(why_in_order(both(1), tuple({zero, zero})).empty());
  CHECK_FALSE(why_in_order(both(0), tuple({zero, zero})).empty());
  CHECK_FALSE(why_in_order(both(1), tuple({zero, literal(1, f64)})).empty());
  CHECK(why_in_order(two_sum(f64), tuple({zero, zero})).empty());
  CHECK_FALSE(why_in_order(two_sum(f64), tuple({zero, literal(1, f64)})).empty());
  CHECK_FALSE(why_in_order(two_sum(f32), tuple({zero, zero})).empty());
}

TEST_CASE("a compensated sum keeps what a plain one loses") {
  const Expr x = param("x", array({Nat(4)}, f64)), zero = literal(0, f64);
  const std::map<std::string, Value> values{
      {"x", Value{Value::Array{{Value{1e16}, Value{1.0}, Value{1.0}, Value{-1e16}}}}}};
  const Expr pairs = map([&](Expr e) { return tuple({e, zero}); }, x);
  const Expr compensated =
      let(reduce(two_sum(f64), tuple({zero, zero}), pairs), [](Expr s) { return get(0, s) + get(1, s); });
  CHECK(identical(interpret(compensated, values), Value{2.0}));
  CHECK(identical(interpret(x | sum(), values), Value{0.0}));
}

}  // namespace reduction_test
