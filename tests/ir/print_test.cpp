// Expressions as people read them: every form, and that the text says which variable is meant.
#include <doctest/doctest.h>

#include <algorithm>

#include "ir/expr/build.hpp"
#include "ir/expr/layout.hpp"
#include "patterns/operators.hpp"

using namespace lift;

namespace print_test {
namespace {

const Type number(f64);
const Expr xs = param("xs", array({8}, f64)), ys = param("ys", array({8}, f64)),
           m = param("m", array({4, 6}, f64));
const Expr a = param("a", number), b = param("b", number), x = param("x", number);

Expr hole(const std::string& name, const Type& t) {
  Attr attr;
  attr.texts = {name}, attr.types = {t};
  return make(Op::Hole, {}, attr);
}

}  // namespace

TEST_CASE("stages are piped, scalars are infix with few parentheses") {
  CHECK(str(xs | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0; })) ==
        "xs |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. (w[0] + w[1] + w[2]) / 3.0)");
  CHECK(str(a - (b - a) * 2.0) == "a - (b - a) * 2.0");
  CHECK(str((a + b) + a) == "a + b + a");
  CHECK(str(a + (b + a)) == "a + (b + a)");
  CHECK(str((a - b) - (a - b)) == "a - b - (a - b)");
  CHECK(str(a / (b * a)) == "a / (b * a)");
  CHECK(str(select(a < b && !(b <= a), -a, b)) == "select(a < b && !(b <= a), -a, b)");
  CHECK(str(-(a + b)) == "-(a + b)");
  CHECK(str(-literal(-1, f64)) == "-(-1.0)");
  CHECK(str(literal(-0.0, f64)) == "-0.0");
  CHECK(str(cast(f32, a)) == "f32(a)");
  CHECK(str(nat_value(Nat::size("n") * 2 + 1) * nat_value(3)) == "nat(2*n + 1) * nat(3)");
  CHECK(str(nat_value(Nat::size("n")) * nat_value(Nat::size("a")) + cast(i32, a)) == "n * nat(a) + i32(a)");
  CHECK(str(-literal(1, f64)) == "-(1.0)");
  CHECK(str(literal(0.5, f32)) == "0.5f");
  CHECK(str(literal(3000000000.0, i32)) == "3000000000");
  CHECK(str(param("map", number) + param("b-c", number)) == "`map` + `b-c`");
}

TEST_CASE("ranks, tuples, arguments") {
  CHECK(str(m | slide2(3, 1)) == "m |> slide2(3, 1)");
  CHECK(str(slide({2, 3}, {1, 1}, m)) == "m |> slide2((2, 3), 1)");
  CHECK(str(pad({1}, {0}, constant, xs, 7.5)) == "xs |> pad(1, 0, constant 7.5)");
  CHECK(str(xs | pad_n(1, 1, 0, odd, param("g", f64))) == "xs |> pad(1, 0, odd g)");
  CHECK(str(zip({xs | drop(1, 1), ys | drop(1, 1)})) == "zip(xs |> drop(1, 1), ys |> drop(1, 1))");
  CHECK(str(get(1, tuple({m, xs}))) == "xs");
  CHECK(str((xs | drop(1, 1))[0]) == "(xs |> drop(1, 1))[0]");
  CHECK(str(at({1, 2}, m)) == "m[1, 2]");
  const Expr i = param("i", i32);
  CHECK(str(gather(i, xs)) == "xs |> gather(i)");
  CHECK(str(gather({i, i + 1}, m, clamp)) == "m |> gather2(i, i + 1, clamp)");
  CHECK(str(gather(i, xs, constant, 2)) == "xs |> gather(i, constant 2.0)");
  CHECK(str(gather(i, xs, constant, a)) == "xs |> gather(i, constant a)");
  CHECK(str(transpose(m)) == "m |> transpose");
  CHECK(str(reverse(xs)) == "xs |> reverse");
  CHECK(str(reverse_n(2, m)) == "m |> reverse2");
  CHECK(str(concat(xs, ys | drop(1, 1))) == "concat(xs, ys |> drop(1, 1))");
  CHECK(str(update(m, {1, 1}, m | drop2(1, 1))) == "update2(m, 1, m |> drop2(1, 1))");
  CHECK(str(generate({2, 3}, [](Expr j, Expr i) { return j * 3 + i; })) ==
        "generate(2, 3, \\j i. j * 3 + i)");
  CHECK(str(xs | sum()) == "xs |> reduce(\\acc x. acc + x, 0.0)");
  CHECK(str(iterate(3, fun(xs.type(), [](Expr v) { return v | pad(1, 0, wrap) | drop(0, 1); }), xs)) ==
        "xs |> iterate(3, \\ys. ys |> pad(1, 0, wrap) |> drop(0, 1))");
  CHECK(str(let(xs, [](Expr v) { return concat(v, v); })) == "let ys = xs in concat(ys, ys)");
  CHECK(str(let(xs, [](Expr v) { return v; }) | drop(1, 1)) == "(let ys = xs in ys) |> drop(1, 1)");
}

TEST_CASE("low-level forms show what was decided") {
  const Expr same = fun(number, [](Expr v) { return v; });
  CHECK(str(map_with(Op::MapVec, 1, same, xs, {4, 2, 1, 16})) ==
        "xs |> map_vec<4, strided 2, late store, prefetch 16>(\\x. x)");
  CHECK(str(map_with(Op::MapLcl, 1, same, xs, {0, 1, 0, 0, 32})) == "xs |> map_lcl<0, items 32>(\\x. x)");
  CHECK(str(map_with(Op::MapSeq, 1, same, xs)) == "xs |> map_seq(\\x. x)");
  CHECK(str(map_with(Op::MapUnroll, 1, same, xs, {8, 1, 0, 0})) == "xs |> map_unroll<8>(\\x. x)");
  CHECK(str(map_with(Op::MapGlb, 2, same, m, {0, 1, 0, 0})) == "m |> map_glb2<0>(\\x. x)");
  CHECK(str(make(Op::ToLocal, {xs | drop(1, 1)})) == "xs |> drop(1, 1) |> to_local");
  CHECK(str(in_layout(parse_layout("rows 8 1"), xs)) == "layout(rows 8 1, xs)");
}

TEST_CASE("holes, and terms that are parts of others") {
  CHECK(str(map_with(Op::Map, 1, hole("f", Type::any()), hole("xs", Type::any()))) == "?xs |> map(?f)");
  CHECK(str(hole("u", number) + 1.0) == "?u + 1.0");
  CHECK(str(lambda({a}, lambda({b}, a + b)).child(0)) == "\\(x : f64). #1.0 + x");
}

TEST_CASE("components are called as the arrays they come from") {
  CHECK(str(zip({xs, m[0] | pad(1, 1, clamp)}) | map([](Expr p, Expr q) { return p * q; })) ==
        "zip(xs, m[0] |> pad(1, 1, clamp)) |> map(\\(xs, m). xs * m)");
  const Expr f = fun({Type(i32), Type(i32)}, [](Expr j, Expr i) { return tuple({j, i}); });
  CHECK(str(zip_n(2, {generate({4, 6}, f), m}) | map2([](Expr p, Expr e) {
              return select(eq(get(0, p), get(1, p)), e, -e);
            })) == "zip2(generate(4, 6, \\j i. {j, i}), m) |> map2(\\((j, i), m). select(j == i, m, -m))");
  // A tuple that is meant as a whole keeps one name.
  CHECK(str(zip({xs, ys}) | map([](Expr t) {
              return tuple({t, get(0, t)});
            })) == "zip(xs, ys) |> map(\\x. {x, x.0})");
}

TEST_CASE("no name hides one that is meant") {
  CHECK(str(xs | map([](Expr e) { return e + x; })) == "xs |> map(\\y. y + x)");
  const Expr outer = zip({xs, ys});
  CHECK(str(outer | map([](Expr p, Expr q) { return p * q + ys[0]; })) ==
        "zip(xs, ys) |> map(\\(xs, ys'). xs * ys' + ys[0])");
  CHECK(str(outer | map([&](Expr p, Expr q) {
              return outer | map([=](Expr r, Expr s) { return p * q - r * s; });
            })) == "zip(xs, ys) |> map(\\(xs', ys'). zip(xs, ys) |> map(\\(xs, ys). xs' * ys' - xs * ys))");
  CHECK(str(zip({xs, xs}) | map([](Expr p, Expr q) { return p - q; })) ==
        "zip(xs, xs) |> map(\\(xs, xs'). xs - xs')");
  CHECK(str(lambda({a}, lambda({b}, a - b))) == "\\(x : f64). \\(y : f64). x - y");
}

TEST_CASE("different functions have different texts") {
  const auto nested = [](int which) {
    return str(zip({xs, ys}) | map([=](Expr p, Expr q) {
                 return zip({xs, ys}) | map([=](Expr r, Expr s) {
                          return std::vector{p, q, r, s, xs[0], ys[0]}[static_cast<std::size_t>(which)];
                        });
               }));
  };
  std::vector<std::string> texts;
  for (int i = 0; i < 6; ++i) texts.push_back(nested(i));
  std::sort(texts.begin(), texts.end());
  CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
}

TEST_CASE("pretty text breaks at the outermost form and says the same") {
  Problem p;
  p.box = 4, p.boxes = 2;
  const Expr body = smooth3d().build(p).body;
  const std::string one = str(body), many = pretty(body);
  const auto words = [](std::string s) {
    s.erase(std::remove_if(s.begin(), s.end(), [](char c) { return c == ' ' || c == '\n'; }), s.end());
    return s;
  };
  CHECK(words(one) == words(many));
  std::size_t longest = 0, from = 0;
  for (std::size_t end; (end = many.find('\n', from)) != std::string::npos; from = end + 1)
    longest = std::max(longest, end - from);
  CHECK(longest <= 110);
  CHECK(many.rfind("zip(phi, rhs, alpha, beta_i, beta_j, beta_k, lambda)\n|> map(\\(phi, rhs, alpha, beta_i, "
                   "beta_j, beta_k, lambda).\n  update3(phi, 1,\n    zip3(\n",
                   0) == 0);
  CHECK(many.find("\n        (i + j + k + color) % 2 == 0,\n") != std::string::npos);
  CHECK(pretty(xs | slide(3, 1)) == "xs |> slide(3, 1)");
}

}  // namespace print_test
