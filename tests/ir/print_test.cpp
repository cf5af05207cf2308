// Expressions as people read them.
#include <doctest/doctest.h>

#include "ir/build.hpp"

using namespace lift;

TEST_CASE("stages are piped, scalars are infix with few parentheses") {
  const Nat n = Nat::size("n");
  const Expr xs = param("xs", array({n}, f64)), a = param("a", Type(f64)), b = param("b", Type(f64));
  CHECK(str(xs | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0; })) ==
        "xs |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\xs0. (xs0[0] + xs0[1] + xs0[2]) / 3.0)");
  CHECK(str(a - (b - a) * 2.0) == "a - (b - a) * 2.0");
  CHECK(str((a + b) + a) == "a + b + a");
  CHECK(str(a + (b + a)) == "a + (b + a)");
  CHECK(str(select(a < b, -a, b)) == "select(a < b, -a, b)");
}

TEST_CASE("ranks, tuples, low-level maps and layouts") {
  const Expr m = param("m", array({4, 6}, f64));
  CHECK(str(m | slide2(3, 1)) == "m |> slide2(3, 1)");
  CHECK(str(slide({2, 3}, {1, 1}, m)) == "m |> slide2((2, 3), 1)");
  CHECK(str(zip({m, m})) == "zip(m, m)");
  CHECK(str(get(1, tuple({m, m}))) == "m");
  CHECK(str(map_with(Op::MapVec, 1, fun(Type(f64), [](Expr x) { return x; }), param("r", array({8}, f64)), {4, 2, 1, 16})) ==
        "r |> map_vec<4, strided 2, late store, prefetch 16>(\\x. x)");
  CHECK(str(transpose(m)) == "m |> transpose");
}
