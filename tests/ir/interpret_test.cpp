// Each primitive on small data, against values written out; rank-D forms against their definitions.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/program.hpp"
#include "tests/message.hpp"

using namespace lift;

namespace interpret_test {
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
  CHECK(str(interpret(split({Nat(3)}, param("xs", array({6}, f64))), {{"xs", counting({6})}})) ==
        "[[0, 1, 2], [3, 4, 5]]");
  CHECK(result({2, 3}, [](Expr x) { return join(x); }) == Numbers{0, 1, 2, 3, 4, 5});
  CHECK(result({4}, [](Expr x) { return x | slide(3, 1); }) == Numbers{0, 1, 2, 1, 2, 3});
  CHECK(result({5}, [](Expr x) { return x | slide(3, 2); }) == Numbers{0, 1, 2, 2, 3, 4});
  CHECK(result({5}, [](Expr x) { return x | drop(1, 2); }) == Numbers{1, 2});
  CHECK(result({2, 3}, [](Expr x) { return transpose(x); }) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK(result({4}, [](Expr x) { return x | reverse(); }) == Numbers{3, 2, 1, 0});
  CHECK(result({2, 3}, [](Expr x) { return reverse(x); }) == Numbers{3, 4, 5, 0, 1, 2});
  CHECK(result({2, 3}, [](Expr x) { return reverse_n(2, x); }) == Numbers{5, 4, 3, 2, 1, 0});
  CHECK(result({2}, [](Expr x) { return concat(x, x); }) == Numbers{0, 1, 0, 1});
  CHECK(result({2}, [](Expr x) { return interleave({x, x | map(plus_one)}); }) == Numbers{0, 1, 1, 2});
  CHECK(result({4}, [](Expr x) { return update(x, {Nat(1)}, x | drop(1, 1) | map(plus_one)); }) ==
        Numbers{0, 2, 3, 3});
  CHECK(result({3}, [](Expr x) { return x | take(2); }) == Numbers{0, 1});
  CHECK(result({3}, [](Expr x) {
          return zip({x, x}) | map([](Expr a, Expr b) { return a * b; });
        }) == Numbers{0, 1, 4});
}

TEST_CASE("boundaries, at both ends") {
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, clamp); }) == Numbers{0, 0, 0, 1, 2, 2, 2});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, wrap); }) == Numbers{1, 2, 0, 1, 2, 0, 1});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, mirror); }) == Numbers{1, 0, 0, 1, 2, 2, 1});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, reflect); }) == Numbers{2, 1, 0, 1, 2, 1, 0});
  CHECK(result({3}, [](Expr x) { return x | pad(2, 2, odd); }) == Numbers{-1, -0.0, 0, 1, 2, -2, -1});
  CHECK(flatten(interpret(pad({Nat(1)}, {Nat(1)}, constant, param("xs", array({2}, f64)), 7.5),
                          {{"xs", counting({2})}})) == Numbers{7.5, 0, 1, 7.5});
  const auto given = [](Boundary b, double g) {
    return result({3}, [=](Expr x) { return x | pad_n(1, 2, 1, b, literal(g, f64)); });
  };
  CHECK(given(odd, 5) == Numbers{9, 10, 0, 1, 2, 8});
  CHECK(given(constant, 5) == Numbers{5, 5, 0, 1, 2, 5});
  const Value poisoned =
      interpret(param("xs", array({2}, f64)) | pad(1, 0, undefined) | map(plus_one), {{"xs", counting({2})}});
  CHECK(contains_poison(poisoned));
  CHECK(str(poisoned) == "[undefined, 1, 2]");
}

TEST_CASE("elements at computed positions, as far beyond the ends as they may be") {
  const auto at = [](const std::vector<double>& positions, Boundary b, double value = 0) {
    return result({3}, [&](Expr x) {
      const Nat n(static_cast<std::int64_t>(positions.size()));
      const Expr indices = generate({n}, [&](Expr i) {
        Expr r = literal(positions.back(), i32);
        for (std::size_t k = positions.size(); k-- > 0;)
          r = select(eq(i, static_cast<int>(k)), literal(positions[k], i32), r);
        return r;
      });
      return gather(indices, x, b, value);
    });
  };
  const Numbers far{-7, -4, -1, 0, 2, 3, 4, 8};
  CHECK(at({2, 0, 1, 1}, Boundary::undefined) == Numbers{2, 0, 1, 1});
  CHECK(at(far, clamp) == Numbers{0, 0, 0, 0, 2, 2, 2, 2});
  CHECK(at(far, wrap) == Numbers{2, 2, 2, 0, 2, 0, 1, 2});
  CHECK(at(far, mirror) == Numbers{0, 2, 0, 0, 2, 2, 1, 2});
  CHECK(at(far, reflect) == Numbers{1, 0, 1, 0, 2, 1, 0, 0});
  CHECK(at(far, constant, 7) == Numbers{7, 7, 7, 0, 2, 7, 7, 7});
  CHECK(result({1}, [](Expr x) { return gather(iota(4), x, reflect); }) == Numbers{0, 0, 0, 0});
  CHECK(result({2, 3}, [](Expr x) {
          return gather({iota(2), iota(2) | map([](Expr i) { return 2 - i; })}, x);
        }) == Numbers{2, 4});
  CHECK(result({2, 3}, [](Expr x) { return gather(literal(1, i32), x); }) == Numbers{3, 4, 5});
  const Expr far_away = cast(i32, param("x", f64));
  for (const double x : {3e9, -3e9, std::nan("")})
    CHECK(test::message<UserError>(
              [&] {
                interpret(far_away, {{"x", {x}}});
              },
              "no error")
              .find("no i32 holds it; keep it within") != std::string::npos);
  CHECK(interpret(far_away, {{"x", {-2147483648.9}}}).number() == -2147483648.0);
  const std::string m = test::message<UserError>([&] { at({3}, Boundary::undefined); }, "no error");
  CHECK(m == "gather: position 3 of an array of 3; say what is beyond its ends: gather(i, clamp)");
}

TEST_CASE("rank 2 is rank 1 in each dimension") {
  const auto same = [](auto f, auto g) { CHECK(result({4, 6}, f) == result({4, 6}, g)); };
  const auto each = [](auto f) { return map([f](Expr r) { return f(r); }); };
  same([](Expr x) { return x | drop2(1, 1); },
       [&](Expr x) { return x | drop(1, 1) | each([](Expr r) { return r | drop(1, 1); }); });
  same([](Expr x) { return x | pad2(1, 2, mirror); },
       [&](Expr x) { return x | pad(1, 2, mirror) | each([](Expr r) { return r | pad(1, 2, mirror); }); });
  const auto columns = [](auto f) {
    return Partial{
        [f](const Expr& x) { return transpose(transpose(x) | map([f](Expr c) { return f(c); })); }};
  };
  const auto negated = [](Expr r) { return r | pad(1, 1, odd); };
  same([](Expr x) { return x | pad2(1, 1, odd); },
       [&](Expr x) { return x | each(negated) | columns(negated); });
  same([](Expr x) { return x | slide2(2, 1); },
       [&](Expr x) {
         return x | each([](Expr r) { return r | slide(2, 1); }) | slide(2, 1) |
                each([](Expr b) { return transpose(b); });
       });
  same(
      [](Expr x) {
        return split({Nat(2), Nat(3)}, x);
      },
      [&](Expr x) {
        return x | each([](Expr r) { return split({Nat(3)}, r); }) |
               Partial{[](const Expr& y) { return split({Nat(2)}, y); }} |
               each([](Expr b) { return transpose(b); });
      });
  same([](Expr x) { return x | map2(plus_one); },
       [&](Expr x) { return x | each([](Expr r) { return r | map(plus_one); }); });
}

TEST_CASE("computation") {
  CHECK(result({4}, [](Expr x) { return x | sum(); }) == Numbers{6});
  CHECK(result({4}, [](Expr x) {
          return scan(fun({Type(f64), Type(f64)}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), x);
        }) == Numbers{0, 1, 3, 6});
  CHECK(result({2}, [](Expr x) {
          return iterate(3, fun(x.type(), [](Expr y) { return y | map(plus_one); }), x);
        }) == Numbers{3, 4});
  CHECK(result({2}, [](Expr x) {
          return iterate(
              4,
              fun({i32, x.type()},
                  [](Expr t, Expr y) { return y | map([&](Expr e) { return e * 2.0 + cast(f64, t); }); }),
              x);
        }) == Numbers{11, 27});
  CHECK(result({2}, [](Expr x) {
          return let(x | sum(), [&](Expr s) { return x | map([&](Expr e) { return e + s; }); });
        }) == Numbers{1, 2});
  CHECK(result({3}, [](Expr x) {
          return x | map([](Expr e) { return select(e < 1.0, e - 5.0, sqrt(abs(-e))); });
        }) == Numbers{-5, 1, std::sqrt(2.0)});
  CHECK(result({2}, [](Expr x) {
          return x | map([](Expr e) { return exp(e) + pow(e + 1.0, 3.0) + floor(e * 1.5) + hypot(e, 0.0); });
        }) == Numbers{2, std::exp(1.0) + 8 + 1 + 1});
  const UserFun square("square", {{"x", f64}}, f64, "return x * x;",
                       [](std::span<const double> a) { return a[0] * a[0]; });
  CHECK(result({3}, [&](Expr x) { return x | map([&](Expr e) { return square(e); }); }) == Numbers{0, 1, 4});
}

TEST_CASE("integers divide as indices do; f32 is rounded after each operation") {
  const auto integer = [](Op op, double a, double b) {
    return interpret(binary(op, literal(a, i32), literal(b, i32))).number();
  };
  CHECK(integer(Op::Div, -7, 2) == -4);
  CHECK(integer(Op::Mod, -7, 2) == 1);
  const Expr third = binary(Op::Div, literal(1, f32), literal(3, f32));
  CHECK(interpret(third).number() == static_cast<double>(1.0F / 3.0F));
  CHECK(interpret(cast(f64, third)).number() == static_cast<double>(1.0F / 3.0F));
}

TEST_CASE("u8 is computed as i32 and made of it modulo 256; i64 is exact to its ends") {
  const auto byte = [](double x) { return literal(x, u8); };
  CHECK((byte(200) + byte(100)).type() == Type(i32));
  CHECK(interpret(byte(200) + byte(100)).number() == 300);
  CHECK(interpret(byte(3) - 5).number() == -2);
  CHECK(interpret(abs(byte(3) - byte(5))).number() == 2);
  CHECK(interpret(cast(u8, byte(200) + byte(100))).number() == 44);
  CHECK(interpret(cast(u8, byte(3) - 5)).number() == 254);
  CHECK(interpret(cast(u8, literal(-7.9, f64))).number() == 249);  // by i32, towards 0
  CHECK(interpret(cast(boolean, byte(7))).number() == 1);
  CHECK(interpret(byte(7) < byte(9)).number() == 1);
  const Expr bytes = param("bytes", array({3}, u8));
  CHECK((bytes | sum()).type() == Type(i32));
  CHECK(interpret(bytes | sum(), {{"bytes", make_array(std::vector<double>{255, 255, 1}, bytes.type())}})
            .number() == 511);
  const auto exact = [](const Expr& e) { return std::get<std::int64_t>(interpret(e).v); };
  const Expr large = literal(0x1p53, i64) * literal(512, i64);  // 2^62
  CHECK(exact(large + (large - literal(1, i64))) == std::numeric_limits<std::int64_t>::max());
  CHECK(interpret(binary(Op::Lt, large, large + literal(1, i64))).number() == 1);  // one and the same as f64
  CHECK(interpret(eq(large, large + literal(1, i64))).number() == 0);
  CHECK(exact(cast(i64, literal(-7, i32)) / 2) == -4);
  CHECK(exact(cast(i64, literal(-7, i32)) % 2) == 1);
  const Expr least = -large - large;
  CHECK(exact(least / -1) == std::numeric_limits<std::int64_t>::min());
  CHECK(exact(least % -1) == 0);
  for (const Expr& beyond : {large + large, -least, abs(least), large * 4})
    CHECK(test::message<UserError>([&] {
            interpret(beyond);
          }).find("more than an i64 holds; compute it of real numbers") != std::string::npos);
  CHECK(test::message<UserError>([&] {
          interpret(cast(i32, large));
        }).starts_with("i32 of 4611686018427387904: no i32 holds it"));
  CHECK(test::message<UserError>([&] {
          interpret(cast(i64, literal(1e19, f64)));
        }).starts_with("i64 of 1e+19: no i64 holds it"));
}

TEST_CASE("an evaluation says how far it is, and ends when it is told to") {
  struct Stop {};
  const Expr many = iterate(1000000000, fun(Type(f64), [](Expr x) { return x + 1.0; }), literal(0.0, f64));
  Interpreter in;
  std::int64_t last = 0;
  in.on_progress = [&](std::int64_t evaluated) {
    CHECK(evaluated > last);
    last = evaluated;
    if (evaluated > 100000) throw Stop();
  };
  CHECK_THROWS_AS(in.eval(many), Stop);
  CHECK(last < 200000);
}

TEST_CASE("missing values are named") {
  CHECK_THROWS_WITH_AS(interpret(param("u", f64)), "interpreter: no value for argument u", UserError);
  CHECK_THROWS_WITH_AS(interpret(nat_value(Nat::size("n"))),
                       "interpreter: size n has no value; pass it in `sizes`", UserError);
}

TEST_CASE("more dimensions") {
  CHECK(result({2, 3}, [](Expr x) {
          return zip_n(2, {x, x}) | map2([](Expr a, Expr b) { return a * b; });
        }) == Numbers{0, 1, 4, 9, 16, 25});
  CHECK(result({2, 2, 2}, [](Expr x) { return transpose({2, 0, 1}, x); }) == Numbers{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK(result({4, 6}, [](Expr x) {
          return join_n(2, split({Nat(2), Nat(3)}, x));
        }) == result({4, 6}, [](Expr x) { return x; }));
  CHECK(result({2, 2}, [](Expr x) {
          return update(x, {Nat(1), Nat(0)}, x | drop2(0, 1));
        }) == Numbers{0, 1, 0, 3});
  CHECK(result({2}, [](Expr) {
          return generate({2, 2}, [](Expr j, Expr i) { return j * 10 + i; });
        }) == Numbers{0, 1, 10, 11});
  CHECK(result({2}, [](Expr x) { return get(1, unzip(zip({x, x | map(plus_one)}))); }) == Numbers{1, 2});
  CHECK(str(interpret(positions({1, 2}, {Nat(3), Nat(4)}))) == "[[{3, 4}, {3, 5}]]");
}

TEST_CASE("a decision changes no meaning") {
  for (const Op op : {Op::MapSeq, Op::MapUnroll, Op::MapPar, Op::MapVec, Op::MapGlb, Op::MapWrg, Op::MapLcl})
    CHECK(result({2, 2}, [op](Expr x) {
            return map_with(op, 2, fun(Type(f64), plus_one), x, {1, 2, 1, 16});
          }) == Numbers{1, 2, 3, 4});
  for (const Op op : {Op::ToGlobal, Op::ToLocal, Op::ToPrivate, Op::Stream})
    CHECK(result({2}, [op](Expr x) { return make(op, {x}); }) == Numbers{0, 1});
  CHECK(result({3}, [](Expr x) {
          return make(Op::UpdateInPlace, {x, x | drop(0, 2)}, update(x, {Nat(2)}, x | drop(0, 2)).attr());
        }) == Numbers{0, 1, 0});
}

TEST_CASE("a function sees the variables around it, also after they are out of reach") {
  // The inner function is a value that outlives the call that made it.
  const Expr xs = param("xs", array({2}, f64)), ys = param("ys", array({2}, f64));
  const Expr table = xs | map([&](Expr x) { return ys | map([&](Expr y) { return x * 10.0 + y; }); });
  CHECK(flatten(interpret(table, {{"xs", counting({2})}, {"ys", counting({2})}})) == Numbers{0, 1, 10, 11});
  const Expr add = fun(Type(f64), [](Expr x) { return lambda({param("y", f64)}, x - param("y", f64)); });
  const Value inner = interpret_call(add, {Value{7.0}});
  CHECK(Interpreter().apply(inner, {Value{2.0}}).number() == 5);
}

TEST_CASE("values of index params, sizes, and constants in the elements' precision") {
  CHECK(interpret(index_param("color", 0, 1) + 3, {{"color", Value{std::int64_t{1}}}}).number() == 4);
  const Nat n = Nat::size("n");
  CHECK(flatten(interpret(iota(n) | drop(1, 0), {}, {{"n", 3}})) == Numbers{1, 2});
  const Type single = array({1}, f32);
  const Value padded =
      interpret(pad({Nat(1)}, {Nat(0)}, constant, param("xs", single), 0.1), {{"xs", numbers({1}, single)}});
  CHECK(padded.array()[0].number() == static_cast<double>(0.1F));
  CHECK(std::signbit(interpret(literal(-0.0, f64)).number()));
}

TEST_CASE("what is undefined spreads through arithmetic and stays out of what does not read it") {
  const Expr u = param("xs", array({2}, f64)) | pad(1, 1, undefined);
  const auto value = [&](const Expr& e) { return str(interpret(e, {{"xs", counting({2})}})); };
  CHECK(value(zip({u, u}) | map([](Expr a, Expr b) { return a + b; })) == "[undefined, 0, 2, undefined]");
  CHECK(value(u | drop(1, 1)) == "[0, 1]");
  CHECK(value(zip({iota(4), u}) | map([](Expr i, Expr x) {
                return select(i < 1, 5.0 * literal(1, f64), x);
              })) == "[5, 0, 1, undefined]");
  CHECK(value(u | sum()) == "undefined");
}

TEST_CASE("comparisons of values") {
  const Value a = counting({2}), b = numbers({0, 1.5}, array({2}, f64));
  CHECK(identical(a, a));
  CHECK_FALSE(identical(a, b));
  CHECK(difference(a, b) == doctest::Approx(1.0 / 3));
  CHECK_FALSE(identical(Value{0.0}, Value{-0.0}));
  CHECK(identical(Value{std::nan("")}, Value{std::nan("")}));
  CHECK(std::isinf(difference(a, counting({3}))));
  CHECK(std::isinf(difference(Value{Value::Poison{}}, Value{1.0})));
  CHECK(identical(Value{Value::Poison{}}, Value{Value::Poison{}}));
}

}  // namespace interpret_test
