// Each primitive on small data, against values written out; rank-D forms against their definitions.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/build.hpp"
#include "ir/interpret.hpp"

using namespace lift;

namespace {

Value numbers(const std::vector<double>& data, const Type& t) { return make_array(data, t); }
Value counting(const std::vector<Nat>& shape) {
  std::size_t n = 1;
  for (const Nat& d : shape) n *= static_cast<std::size_t>(*d.constant());
  std::vector<double> data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<double>(i);
  return numbers(data, array(shape, f64));
}
/// f of the array 0, 1, 2, ... of a shape, as numbers.
template <class F>
std::vector<double> result(const std::vector<Nat>& shape, F f) {
  const Expr xs = param("xs", array(shape, f64));
  return flatten(interpret(f(xs), {{"xs", counting(shape)}}));
}
using Numbers = std::vector<double>;
Expr plus_one(const Expr& x) { return x + 1.0; }

}  // namespace

TEST_CASE("structure in one dimension") {
  CHECK(result({6}, [](Expr x) { return split({Nat(2)}, x); }) == Numbers{0, 1, 2, 3, 4, 5});
  CHECK(str(interpret(split({Nat(3)}, param("xs", array({6}, f64))), {{"xs", counting({6})}})) == "[[0, 1, 2], [3, 4, 5]]");
  CHECK(result({2, 3}, [](Expr x) { return join(x); }) == Numbers{0, 1, 2, 3, 4, 5});
  CHECK(result({4}, [](Expr x) { return x | slide(3, 1); }) == Numbers{0, 1, 2, 1, 2, 3});
  CHECK(result({5}, [](Expr x) { return x | slide(3, 2); }) == Numbers{0, 1, 2, 2, 3, 4});
  CHECK(result({5}, [](Expr x) { return x | drop(1, 2); }) == Numbers{1, 2});
  CHECK(result({2, 3}, [](Expr x) { return transpose(x); }) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK(result({2}, [](Expr x) { return concat(x, x); }) == Numbers{0, 1, 0, 1});
  CHECK(result({2}, [](Expr x) { return interleave({x, x | map(plus_one)}); }) == Numbers{0, 1, 1, 2});
  CHECK(result({4}, [](Expr x) { return update(x, {Nat(1)}, x | drop(1, 1) | map(plus_one)); }) == Numbers{0, 2, 3, 3});
  CHECK(result({3}, [](Expr x) { return x | take(2); }) == Numbers{0, 1});
  CHECK(result({3}, [](Expr x) { return zip({x, x}) | map([](Expr a, Expr b) { return a * b; }); }) == Numbers{0, 1, 4});
}

TEST_CASE("boundaries, at both ends") {
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, clamp); }) == Numbers{0, 0, 0, 1, 2, 2, 2});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, wrap); }) == Numbers{1, 2, 0, 1, 2, 0, 1});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, mirror); }) == Numbers{1, 0, 0, 1, 2, 2, 1});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, odd); }) == Numbers{-1, -0.0, 0, 1, 2, -2, -1});
  CHECK(flatten(interpret(pad({Nat(1)}, {Nat(1)}, constant, param("xs", array({2}, f64)), 7.5), {{"xs", counting({2})}})) == Numbers{7.5, 0, 1, 7.5});
  const Value poisoned = interpret(param("xs", array({2}, f64)) | pad(1, 0, undefined) | map(plus_one), {{"xs", counting({2})}});
  CHECK(contains_poison(poisoned));
  CHECK(str(poisoned) == "[undefined, 1, 2]");
}

TEST_CASE("rank 2 is rank 1 in each dimension") {
  const auto same = [](auto f, auto g) { CHECK(result({4, 6}, f) == result({4, 6}, g)); };
  const auto each = [](auto f) { return map([f](Expr r) { return f(r); }); };
  same([](Expr x) { return x | drop2(1, 1); }, [&](Expr x) { return x | drop(1, 1) | each([](Expr r) { return r | drop(1, 1); }); });
  same([](Expr x) { return x | pad2(1, 2, mirror); }, [&](Expr x) { return x | pad(1, 2, mirror) | each([](Expr r) { return r | pad(1, 2, mirror); }); });
  const auto columns = [](auto f) { return Stage{[f](const Expr& x) { return transpose(transpose(x) | map([f](Expr c) { return f(c); })); }}; };
  const auto reflect = [](Expr r) { return r | pad(1, 1, odd); };
  same([](Expr x) { return x | pad2(1, 1, odd); }, [&](Expr x) { return x | each(reflect) | columns(reflect); });
  same([](Expr x) { return x | slide2(2, 1); },
       [&](Expr x) { return x | each([](Expr r) { return r | slide(2, 1); }) | slide(2, 1) | each([](Expr b) { return transpose(b); }); });
  same([](Expr x) { return split({Nat(2), Nat(3)}, x); },
       [&](Expr x) { return x | each([](Expr r) { return split({Nat(3)}, r); }) | Stage{[](const Expr& y) { return split({Nat(2)}, y); }} | each([](Expr b) { return transpose(b); }); });
  same([](Expr x) { return x | map2(plus_one); }, [&](Expr x) { return x | each([](Expr r) { return r | map(plus_one); }); });
}

TEST_CASE("computation") {
  CHECK(result({4}, [](Expr x) { return x | sum(); }) == Numbers{6});
  CHECK(result({4}, [](Expr x) { return scan(fun({Type(f64), Type(f64)}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), x); }) == Numbers{0, 1, 3, 6});
  CHECK(result({2}, [](Expr x) { return iterate(3, fun(x.type(), [](Expr y) { return y | map(plus_one); }), x); }) == Numbers{3, 4});
  CHECK(result({2}, [](Expr x) { return let(x | sum(), [&](Expr s) { return x | map([&](Expr e) { return e + s; }); }); }) == Numbers{1, 2});
  CHECK(result({3}, [](Expr x) { return x | map([](Expr e) { return select(e < 1.0, e - 5.0, sqrt(abs(-e))); }); }) == Numbers{-5, 1, std::sqrt(2.0)});
  const UserFun square("square", {{"x", f64}}, f64, "return x * x;", [](std::span<const double> a) { return a[0] * a[0]; });
  CHECK(result({3}, [&](Expr x) { return x | map([&](Expr e) { return square(e); }); }) == Numbers{0, 1, 4});
}

TEST_CASE("integers divide as indices do; f32 is rounded after each operation") {
  const auto integer = [](Op op, double a, double b) { return interpret(binary(op, literal(a, i32), literal(b, i32))).number(); };
  CHECK(integer(Op::Div, -7, 2) == -4);
  CHECK(integer(Op::Mod, -7, 2) == 1);
  const Expr third = binary(Op::Div, literal(1, f32), literal(3, f32));
  CHECK(interpret(third).number() == static_cast<double>(1.0F / 3.0F));
  CHECK(interpret(cast(f64, third)).number() == static_cast<double>(1.0F / 3.0F));
}

TEST_CASE("missing values are named") {
  CHECK_THROWS_WITH_AS(interpret(param("u", f64)), "interpreter: no value for argument u", UserError);
  CHECK_THROWS_WITH_AS(interpret(nat_value(Nat::size("n"))), "interpreter: size n has no value; pass it in `sizes`", UserError);
}
