// OpenMP C of hand-built kernels without vectors: loops, indices, scalar operations, names.
#include <cmath>
#include <limits>
#include <numeric>

#include "hand_built.hpp"
#include "ir/error.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace openmp_scalar_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan_ = std::numeric_limits<double>::quiet_NaN();

std::vector<double> ramp(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = 0.5 * static_cast<double>(i * i % 17) - 3;
  return v;
}
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// out[i] = f(a[i], b[i]) with the scalar operation `make`.
template <class T>
void check_pointwise(Scalar s, const std::vector<T>& a, const std::vector<T>& b,
                     const std::function<Term(Term, Term)>& make, const std::function<T(T, T)>& f) {
  const auto n = static_cast<std::int64_t>(a.size());
  const Nat i = index_of("i", 0, n - 1);
  const Kernel k =
      kernel("pointwise", {array_argument("a", s, n), array_argument("b", s, n), out_argument("out", s, n)},
             "out", {{over(i, 0, n, {put("out", i, make(at("a", i, s), at("b", i, s)))})}});
  std::vector<T> x = a, y = b, out(a.size());
  run_everywhere(
      k, {x.data(), y.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), T(77)); },
      [&] {
        for (std::size_t e = 0; e < a.size(); ++e) {
          INFO("of " << a[e] << " and " << b[e]);
          CHECK(same(static_cast<double>(out[e]), static_cast<double>(f(a[e], b[e]))));
        }
      });
}

}  // namespace

TEST_CASE("a copy and a stencil") {
  const std::int64_t n = 50;
  const Nat i = index_of("i", 1, n - 2);
  const Term sum = binary(Op::Add, binary(Op::Sub, at("a", i - 1), binary(Op::Mul, number(2), at("a", i))),
                          at("a", i + 1));
  const Kernel k =
      kernel("second_difference",
             {scalar_argument("h", f64), array_argument("a", f64, n), out_argument("out", f64, n)}, "out",
             {{over(i, 1, n - 1, {put("out", i, binary(Op::Mul, argument_term("h", f64), sum))})},
              put("out", 0, at("a", 0)),
              put("out", n - 1, at("a", n - 1))});
  std::vector<double> a = ramp(n), out(n);
  double h = 0.25;
  run_everywhere(
      k, {&h, a.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
      [&] {
        CHECK(out[0] == a[0]);
        CHECK(out[n - 1] == a[n - 1]);
        for (std::size_t x = 1; x + 1 < n; ++x) CHECK(out[x] == h * (a[x - 1] - 2 * a[x] + a[x + 1]));
      });
  CHECK(test::openmp_of(k).find("out[i] = h * (a[i - 1] - 2.0 * a[i] + a[i + 1]);") != std::string::npos);
}

TEST_CASE("subtraction, division and negation keep their grouping") {
  const std::vector<double> a{5, -2, 0.5, 7}, b{3, 4, -8, -0.125};
  check_pointwise<double>(
      f64, a, b, [](Term x, Term y) { return binary(Op::Sub, x, binary(Op::Sub, y, binary(Op::Add, x, y))); },
      [](double x, double y) { return x - (y - (x + y)); });
  check_pointwise<double>(
      f64, a, b, [](Term x, Term y) { return binary(Op::Div, x, binary(Op::Div, y, binary(Op::Mul, x, y))); },
      [](double x, double y) { return x / (y / (x * y)); });
  const auto neg = [](Term x) { return apply_term(Op::Neg, x->type, {x}); };
  check_pointwise<double>(
      f64, a, b, [&](Term x, Term y) { return binary(Op::Sub, neg(neg(x)), neg(binary(Op::Add, x, y))); },
      [](double x, double y) { return x + (x + y); });
  check_pointwise<double>(
      f64, a, b,
      [&](Term x, Term y) {
        return binary(Op::Mul, neg(number(-1.5)), binary(Op::Sub, x, binary(Op::Mul, number(-2), y)));
      },
      [](double x, double y) { return 1.5 * (x + 2 * y); });
  check_pointwise<double>(
      f64, a, b,
      [&](Term x, Term y) {
        return select(compare(Op::Lt, x, y), select(compare(Op::Le, number(0), x), x, y),
                      binary(Op::Add, select(compare(Op::Eq, x, y), x, y), x));
      },
      [](double x, double y) { return x < y ? (0 <= x ? x : y) : (x == y ? x : y) + x; });
}

TEST_CASE("constants are exact, also negative zero, infinities and what is no number") {
  const std::vector<double> a{1, -1}, b{2, 2};
  for (const double c : {0.1, 1e300, -4.9e-324, 1.0 / 3, 123456789.0, -0.0, inf, -inf, nan_}) {
    CAPTURE(c);
    check_pointwise<double>(
        f64, a, b,
        [&](Term x, Term) {
          return select(compare(Op::Lt, x, number(0)), number(c), apply_term(Op::Neg, f64, {number(c)}));
        },
        [&](double x, double) { return x < 0 ? c : -c; });
  }
  const std::vector<float> af{1, -1};
  for (const float c : {0.1F, 1e30F, 16777216.0F, -0.0F, std::numeric_limits<float>::infinity()})
    check_pointwise<float>(
        f32, af, af, [&](Term x, Term) { return binary(Op::Mul, x, number(static_cast<double>(c), f32)); },
        [&](float x, float) { return x * c; });
}

TEST_CASE("scalar operations mean what the interpreter says, for all kinds of numbers") {
  const std::vector<double> a{1, -2.5, 0.0, -0.0, inf, nan_, 3, nan_, -7.5},
      b{2, -7, -0.0, 0.0, 1, 3, nan_, nan_, 2};
  check_pointwise<double>(
      f64, a, b, [](Term x, Term y) { return binary(Op::Min, x, y); },
      [](double x, double y) { return y < x ? y : x; });
  check_pointwise<double>(
      f64, a, b, [](Term x, Term y) { return binary(Op::Max, x, y); },
      [](double x, double y) { return x < y ? y : x; });
  check_pointwise<double>(
      f64, a, b, [](Term x, Term y) { return binary(Op::Mod, x, y); },
      [](double x, double y) { return std::fmod(x, y); });
  check_pointwise<double>(
      f64, a, b, [](Term x, Term) { return apply_term(Op::Abs, f64, {x}); },
      [](double x, double) { return std::abs(x); });
  check_pointwise<double>(
      f64, {4, 2, 0.25}, {0, 0, 0}, [](Term x, Term) { return apply_term(Op::Sqrt, f64, {x}); },
      [](double x, double) { return std::sqrt(x); });
  check_pointwise<float>(
      f32, {4, 2, 0.25F, -1.5F}, {1, 3, -2, 1},
      [](Term x, Term y) {
        return binary(Op::Mod, apply_term(Op::Sqrt, f32, {apply_term(Op::Abs, f32, {x})}), y);
      },
      [](float x, float y) { return std::fmod(std::sqrt(std::abs(x)), y); });
  const std::vector<int> p{7, -7, 7, -7, 0, -8, 5}, q{2, 2, -2, -2, 3, 4, 7};
  check_pointwise<int>(
      i32, p, q, [](Term x, Term y) { return binary(Op::Div, x, y); },
      [](int x, int y) { return static_cast<int>(std::floor(static_cast<double>(x) / y)); });
  check_pointwise<int>(
      i32, p, q, [](Term x, Term y) { return binary(Op::Mod, x, y); },
      [](int x, int y) { return x - y * static_cast<int>(std::floor(static_cast<double>(x) / y)); });
  check_pointwise<int>(
      i32, p, q, [](Term x, Term y) { return binary(Op::Min, apply_term(Op::Abs, i32, {x}), y); },
      [](int x, int y) { return std::min(std::abs(x), y); });
  check_pointwise<int>(
      i32, p, q,
      [](Term x, Term y) {
        return binary(Op::Div, binary(Op::Sub, apply_term(Op::Abs, i32, {x}), number(6, i32)),
                      binary(Op::Mul, y, y));
      },
      [](int x, int y) {
        return static_cast<int>(std::floor(static_cast<double>(std::abs(x) - 6) / (y * y)));
      });
}

TEST_CASE("indices: clamped, wrapped and mirrored positions, also of negative numbers") {
  const std::int64_t n = 13;
  const Nat i = index_of("i", -20, 20), o = i + 20;
  const struct {
    const char* name;
    Nat at;
    std::int64_t (*expect)(std::int64_t);
  } cases[] = {
      {"clamp", max(Nat(0), min(i, Nat(n - 1))), [](std::int64_t x) { return x < 0    ? 0
                                                                             : x > 12 ? 12
                                                                                      : x; }},
      {"wrap", mod(i, Nat(n)), [](std::int64_t x) { return ((x % 13) + 13) % 13; }},
      {"halves", floordiv(i, Nat(4)) + 5,
       [](std::int64_t x) { return static_cast<std::int64_t>(std::floor(static_cast<double>(x) / 4)) + 5; }},
      {"parity", mod(i, Nat(2)), [](std::int64_t x) { return std::abs(x) % 2; }},
      {"parity in a product", 3 * mod(i + 1, Nat(2)) + 2,
       [](std::int64_t x) { return 3 * (std::abs(x + 1) % 2) + 2; }},
      {"power of two in a sum", mod(i + 3, Nat(8)) - mod(i, Nat(2)) + 1,
       [](std::int64_t x) { return (((x + 3) % 8) + 8) % 8 - std::abs(x) % 2 + 1; }},
      {"nested", mod(floordiv(i, Nat(3)), Nat(5)) + 2 * min(mod(i, Nat(3)), Nat(1)),
       [](std::int64_t x) {
         return ((static_cast<std::int64_t>(std::floor(static_cast<double>(x) / 3)) % 5) + 5) % 5 +
                2 * std::min<std::int64_t>(((x % 3) + 3) % 3, 1);
       }},
  };
  for (const auto& c : cases) {
    const Kernel k = kernel("gather", {array_argument("a", f64, n), out_argument("out", f64, 41)}, "out",
                            {{over(i, -20, 21, {put("out", o, at("a", c.at))})}});
    std::vector<double> a(static_cast<std::size_t>(n)), out(41);
    std::iota(a.begin(), a.end(), 0);
    INFO(c.name);
    run_everywhere(
        k, {a.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
        [&] {
          for (std::int64_t x = -20; x <= 20; ++x)
            CHECK(out[static_cast<std::size_t>(x + 20)] == static_cast<double>(c.expect(x)));
        });
  }
}

TEST_CASE("an index where the numerator is not negative is divided plainly, otherwise rounding down") {
  const Nat i = index_of("i", 0, 29), j = index_of("j", -30, 29);
  const auto text = [](const Nat& v, const Nat& lower, const Nat& p) {
    return test::openmp_of(kernel("k", {array_argument("a", f64, 1999), out_argument("out", f64, 99)}, "out",
                                  {{over(v, lower, 30, {put("out", v + 30, at("a", p))})}}));
  };
  CHECK(text(i, 0, floordiv(i, Nat(3))).find("a[i / 3]") != std::string::npos);
  CHECK(text(i, 0, mod(i, Nat(3))).find("a[i % 3]") != std::string::npos);
  CHECK(text(j, -30, mod(j, Nat(4))).find("& 3") != std::string::npos);
  CHECK(text(j, -30, floordiv(j, Nat(3)) + 30).find("index_div(j, 3)") != std::string::npos);
  CHECK(text(j, -30, mod(j, Nat(3))).find("index_mod(j, 3)") != std::string::npos);
  CHECK(text(i, 1, 66 * i - 66 + 1).find("a[66*i - 65]") != std::string::npos);
}

TEST_CASE("a strided loop starts at a named parity") {
  const std::int64_t n = 9;
  const Nat j = index_of("j", 0, n - 1), color = index_of("color", 0, 1), first = index_of("first", 0, 1),
            i = index_of("i", 0, n - 1), row = index_of("row", 0, n * n);
  For strided = over(i, first, n, {put("out", row + i, apply_term(Op::Cast, f64, {index_term(10 * j + i)}))});
  strided.step = 2;
  const Kernel k = kernel("checkers", {index_argument(color, 0, 1), out_argument("out", f64, n * n)}, "out",
                          {{over(j, 0, n,
                                 {{Let{index_term(first), index_term(mod(j + color, Nat(2)))}},
                                  {Let{index_term(row), index_term(j * n)}},
                                  {strided}})}});
  std::vector<double> out(static_cast<std::size_t>(n * n));
  for (int c : {0, 1})
    run_everywhere(
        k, {&c, out.data()}, [&] { std::fill(out.begin(), out.end(), -1); },
        [&] {
          for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x)
              CHECK(out[static_cast<std::size_t>(y * n + x)] == ((x + y) % 2 == c ? 10 * y + x : -1));
        });
  const std::string text = test::openmp_of(k);
  CHECK(text.find("const long first = (color + j) & 1;") + text.find("const long first = (j + color) & 1;") !=
        2 * std::string::npos);
  CHECK(text.find("for (long i = first; i < 9; i += 2)") != std::string::npos);
}

TEST_CASE("guards, counters and arrays of a kernel's own") {
  const std::int64_t n = 20;
  const Nat i = index_of("i", 0, n - 1), j = index_of("i", 0, 3), color = index_of("color", 0, 1);
  const Term sum = local_term("sum", f64);
  Allocate window{"window", array({Nat(4)}, f64)};
  const Block body{{window},
                   {over(j, 0, 4, {put("window", j, at("a", i + j))}, LoopKind::Unroll)},
                   {Declare{sum, number(0)}},
                   {over(j, 0, 4, {{Assign{sum, binary(Op::Add, sum, at("window", 3 - j))}}})},
                   {If{{compare_term(equal(mod(i + color, Nat(2)), Nat(0))), compare_term(less(i, Nat(17)))},
                       {put("out", i, sum)}}}};
  const Kernel k = kernel(
      "sums", {index_argument(color, 0, 1), array_argument("a", f64, n + 4), out_argument("out", f64, n)},
      "out", {{over(i, 0, n, body, LoopKind::Par)}});
  std::vector<double> a = ramp(static_cast<std::size_t>(n + 4)), out(static_cast<std::size_t>(n));
  for (int c : {0, 1})
    run_everywhere(
        k, {&c, a.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
        [&] {
          for (std::size_t x = 0; x < out.size(); ++x)
            CHECK(out[x] ==
                  (static_cast<int>(x) % 2 == c && x < 17 ? a[x] + a[x + 1] + a[x + 2] + a[x + 3] : 77));
        });
}

TEST_CASE("parallel loops: one iteration space where bounds allow, and never one region in another") {
  const std::int64_t n = 6;
  const Nat k = index_of("k", 0, n - 1), j = index_of("j", 0, n - 1), i = index_of("i", 0, n - 1);
  const auto cube = [&](const Nat& lower, bool let_between, LoopKind inner) {
    Block row{
        {over(i, lower, n,
              {put("out", 36 * k + 6 * j + i, apply_term(Op::Cast, f64, {index_term(100 * k + 10 * j + i)}))},
              inner)}};
    const Nat unused = index_of("base", 0, 1000);
    if (let_between)
      row = {{Let{index_term(unused), index_term(36 * k + 6 * j)}},
             {over(i, lower, n,
                   {put("out", unused + i, apply_term(Op::Cast, f64, {index_term(100 * k + 10 * j + i)}))},
                   inner)}};
    return kernel("cube", {out_argument("out", f64, n * n * n)}, "out",
                  {{over(k, 0, n, {{over(j, 0, n, row, LoopKind::Par)}}, LoopKind::Par)}});
  };
  std::vector<double> out(216);
  const auto check = [&](const Kernel& kern, bool triangle, const std::string& pragma) {
    const std::string text = test::openmp_of(kern);
    CHECK(count(text, "#pragma omp") == 1);
    CHECK_MESSAGE(text.find(pragma) != std::string::npos, text);
    run_everywhere(
        kern, {out.data()}, [&] { std::fill(out.begin(), out.end(), -1); },
        [&] {
          for (int z = 0; z < n; ++z)
            for (int y = 0; y < n; ++y)
              for (int x = 0; x < n; ++x)
                CHECK(out[static_cast<std::size_t>(36 * z + 6 * y + x)] ==
                      (triangle && x < y ? -1 : 100 * z + 10 * y + x));
        });
  };
  check(cube(0, false, LoopKind::Par), false, "#pragma omp parallel for collapse(3) schedule(static)");
  check(cube(0, false, LoopKind::Seq), false, "#pragma omp parallel for collapse(2) schedule(static)");
  check(cube(j, false, LoopKind::Par), true, "#pragma omp parallel for collapse(2) schedule(static)");
  check(cube(0, true, LoopKind::Par), false, "#pragma omp parallel for collapse(2) schedule(static)");
}

TEST_CASE("names: equal hints, keywords, arguments, functions and types of the emitted text") {
  const std::int64_t n = 4;
  const auto nested = [&](const std::string& outer, const std::string& inner, const std::string& value) {
    const Nat a = index_of(outer, 0, n - 1), b = index_of(inner, 0, n - 1);
    const Term v = local_term(value, f64, 4), r = local_term(value + "_", f64);
    return kernel(
        "named", {array_argument("data", f64, n * n + 4), out_argument("out", f64, n * n)}, "out",
        {{over(a, 0, n,
               {{over(b, 0, n,
                      {{Let{r, binary(Op::Min, at("data", n * a + b), number(3))}},
                       put("out", n * a + b,
                           binary(Op::Add, r,
                                  apply_term(Op::Cast, f64, {index_term(mod(b - a, Nat(3)))})))})}})},
         {over(a, 0, 1,
               {{Let{v, apply_term(Op::Sqrt, f64,
                                   {select(lanes({equal(a, Nat(0)), equal(a, Nat(1)), equal(a, Nat(0)),
                                                  equal(a, Nat(1))}),
                                           at("data", a, f64, 4), at("data", a + 1, f64, 4))})}},
                put("out", 0, v)})}});
  };
  std::vector<double> data(static_cast<std::size_t>(n * n + 4)), out(static_cast<std::size_t>(n * n));
  for (std::size_t x = 0; x < data.size(); ++x) data[x] = static_cast<double>(x);
  for (const auto& [outer, inner, value] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"i", "i", "v"},
           {"int", "while", "double"},
           {"data", "out", "named"},
           {"index_mod", "f64x4", "mask4"},
           {"min_f64", "select_f64x4", "load_f64x4"},
           {"sqrt", "sqrt_f64x4", "store_f64x4"},
           {"f64x4_any", "restrict", "inline"}}) {
    const Kernel k = nested(outer, inner, value);
    run_everywhere(
        k, {data.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
        [&] {
          for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b)
              if (n * a + b >= 4)
                CHECK(out[static_cast<std::size_t>(n * a + b)] ==
                      std::min(data[static_cast<std::size_t>(n * a + b)], 3.0) + ((b - a) % 3 + 3) % 3);
          CHECK(out[0] == 0);
          CHECK(out[1] == std::sqrt(2.0));
          CHECK(out[2] == std::sqrt(2.0));
          CHECK(out[3] == 2);
        });
  }
}

TEST_CASE("user functions, one element at a time and in vectors") {
  const std::int64_t n = 16;
  Attr damp;
  damp.texts = {"damp", "/* twice */ return 2.0 * x - (double)s;", "x", "s"};
  damp.types = {f64, f64, f64};
  const Nat i = index_of("i", 0, n - 1);
  for (const int w : {1, 4}) {
    const Term call = call_term(damp, {at("a", i, f64, w), argument_term("shift", f64)});
    For f = w == 1 ? over(i, 0, n, {put("out", i, call)}) : vectors(i, 0, n, w, {put("out", i, call)});
    Kernel k = kernel(
        "calls", {scalar_argument("shift", f64), array_argument("a", f64, n), out_argument("out", f64, n)},
        "out", {{f}});
    k.user_functions = {damp};
    k.header = {"map (user_fun damp \"/* twice */ return 2.0 * x - (double)s;\") a", "scaled by x*/y"};
    std::vector<double> a = ramp(static_cast<std::size_t>(n)), out(a.size());
    double shift = 0.75;
    run_everywhere(
        k, {&shift, a.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
        [&] {
          for (std::size_t x = 0; x < out.size(); ++x) CHECK(out[x] == 2 * a[x] - shift);
        });
  }
}

TEST_CASE("sizes are passed first") {
  const Nat n = Nat::size("n"), i = Nat::fresh("i", 0, n - 1);
  const Type whole = array({n}, f64);
  Kernel k = kernel(
      "reversed",
      {{"a", whole, Layout({}, whole), false, true, {}}, {"out", whole, Layout({}, whole), true, false, {}}},
      "out", {{over(i, 0, n, {put("out", i, at("a", n - 1 - i))})}});
  k.sizes = {"n"};
  long length = 7;
  std::vector<double> a = ramp(7), out(7);
  run_everywhere(
      k, {&length, a.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
      [&] {
        for (std::size_t x = 0; x < 7; ++x) CHECK(out[x] == a[6 - x]);
      });
  CHECK(emit_c_header(k).find("void reversed(long n, const double *a, double *out);") != std::string::npos);
}

TEST_CASE("what OpenMP C cannot say is refused") {
  const Nat i = index_of("i", 0, 3);
  for (const LoopKind kind : {LoopKind::Glb, LoopKind::Wrg, LoopKind::Lcl}) {
    const Kernel k = kernel("k", {out_argument("out", f64, 4)}, "out",
                            {{over(i, 0, 4, {put("out", i, number(1))}, kind)}});
    CHECK_THROWS_WITH_AS(test::openmp_of(k), doctest::Contains(text(kind)), InternalError);
  }
  const Nat lost = index_of("lost", 0, 3);
  CHECK_THROWS_WITH_AS(
      test::openmp_of(kernel("k", {out_argument("out", f64, 4)}, "out", {put("out", lost, number(1))})),
      doctest::Contains("lost"), InternalError);
}

}  // namespace openmp_scalar_test
