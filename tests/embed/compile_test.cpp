// Expressions as C++ functions: arguments, results, sizes, threads.
#include <doctest/doctest.h>

#include <thread>

#include "embed/compiler.hpp"
#include "liftgen/lift.hpp"
#include "tests/embed/guarded.hpp"

using namespace lift;
using lift::test::Guarded;

namespace compile_test {
namespace {

const Nat n = lift::nat("n"), m = lift::nat("m");

Expr blur(Scalar t) {
  return fun(array(t, n), [](Expr xs) {
    return xs | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0f; });
  });
}

template <class T>
std::vector<T> blurred(const std::vector<T>& x) {
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = (x[i == 0 ? 0 : i - 1] + x[i] + x[std::min(i + 1, x.size() - 1)]) / 3;
  return y;
}

template <class T>
std::vector<T> ramp(std::size_t count) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<T>((7 * i) % 12);
  return x;
}

template <class T>
bool close(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-6 * std::max<double>(1, std::abs(b[i])))) return false;
  return true;
}

/// Half-sweep of u'' = 0 on the inside: every second point becomes the mean of its neighbours.
Program red_black() {
  const Expr u = param("u", array(f64, n + 2)), color = index_param("color", 0, 1);
  const Expr inside = zip({positions({n}), u | slide(3, 1)}) | map([=](Expr p, Expr w) {
                        return select(eq((get(0, p) + color) % 2, 0), 0.5 * (w[0] + w[2]), w[1]);
                      });
  return {"red_black", {u, color}, update(u, {1}, inside), {}};
}
/// The same for all points: not safe in place.
Program jacobi() {
  const Expr u = param("u", array(f64, n + 2));
  return {
      "jacobi", {u}, update(u, {1}, u | slide(3, 1) | map([](Expr w) { return 0.5 * (w[0] + w[2]); })), {}};
}

/// A view as std::mdspan is one.
struct Columns {
  using element_type = const double;
  static constexpr std::size_t rank() { return 2; }
  std::int64_t extent(std::size_t d) const { return d == 0 ? rows : columns; }
  std::int64_t stride(std::size_t d) const { return d == 0 ? 1 : rows; }  // column-major
  const double* data_handle() const { return data; }
  const double* data;
  std::int64_t rows, columns;
};

}  // namespace

TEST_CASE("a vector in, a vector out, any length") {
  const auto kernel = compile<std::vector<float>(const std::vector<float>&)>(blur(f32));
  for (const std::size_t length : {1, 2, 100, 1001})
    CHECK(close(kernel(ramp<float>(length)), blurred(ramp<float>(length))));
}

TEST_CASE("spans, arrays and an output passed in") {
  const auto kernel = compile<void(std::span<const double>, std::span<double>)>(blur(f64));
  const auto x = ramp<double>(50);
  std::vector<double> y(50);
  kernel(x, y);
  CHECK(close(y, blurred(x)));
  const auto of_array = compile<std::vector<double>(const std::array<double, 5>&)>(blur(f64));
  CHECK(close(of_array({1, 2, 3, 4, 5}), blurred<double>({1, 2, 3, 4, 5})));
}

TEST_CASE("two dimensions: flat data, shaped views, gaps") {
  const Expr transposed_sum = fun({array({n, m}, f64), array({m, n}, f64)}, [](Expr a, Expr b) {
    return zip_n(2, {a, transpose(b)}) | map2([](Expr x, Expr y) { return x + 10.0 * y; });
  });
  std::vector<double> a{1, 2, 3, 4, 5, 6}, b{1, 2, 3, 4, 5, 6};  // 2x3 and 3x2
  const std::vector<double> expected{11, 32, 53, 24, 45, 66};
  const auto flat =
      compile<std::vector<double>(const std::vector<double>&, array_view<const double, 2>)>(transposed_sum);
  CHECK(flat(a, array_view(b.data(), {3, 2})) == expected);

  std::vector<double> wide(2 * 5, -1), tall(3 * 4, -1),
      out(2 * 6, -1);  // with gaps at the end of rows, and between columns
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < 3; ++i) wide[j * 5 + i] = a[j * 3 + i], tall[i * 4 + 2 * j] = b[i * 2 + j];
  const auto shaped =
      compile<void(array_view<const double, 2>, array_view<const double, 2>, array_view<double, 2>)>(
          transposed_sum, {.copy_views = true});
  const array_view result(out.data(), {2, 3}, {6, 2});
  shaped(array_view(wide.data(), {2, 3}, {5, 1}), array_view(tall.data(), {3, 2}, {4, 2}), result);
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < 3; ++i) CHECK(result(j, i) == expected[j * 3 + i]);
  for (std::size_t x = 1; x < 12; x += 2) CHECK(out[x] == -1);  // what lies between is left alone
}

TEST_CASE("views like std::mdspan") {
  const auto kernel = compile<std::vector<double>(Columns)>(
      fun(array({n, m}, f64), [](Expr a) { return a | map2([](Expr x) { return x + 1.0; }); }),
      {.copy_views = true});
  const std::vector<double> a{1, 2, 3, 4, 5, 6};
  CHECK(kernel({a.data(), 2, 3}) == std::vector<double>{2, 4, 6, 3, 5, 7});
}

TEST_CASE("kernels touch nothing beyond the arrays") {
  const auto kernel = compile<void(std::span<const double>, std::span<double>)>(blur(f64));
  const auto sweep = compile<void(std::span<double>, std::int32_t)>(red_black());
  for (const std::size_t length : {5, 8, 13, 64, 67, 10007}) {
    const Guarded<double> in(ramp<double>(length)), out(ramp<double>(length));
    kernel(in.span, out.span);
    CHECK(close(out.contents(), blurred(ramp<double>(length))));
    const Guarded<double> u(ramp<double>(length));
    sweep(u.span, 1);
    const auto x = ramp<double>(length), y = u.contents();
    for (std::size_t i = 0; i < length; ++i)
      CHECK(y[i] == (i == 0 || i + 1 == length || i % 2 == 1 ? x[i] : 0.5 * (x[i - 1] + x[i + 1])));
  }
}

TEST_CASE("sizes are solved from the number of elements") {
  const Expr twice =
      fun(array({n, n}, f32), [](Expr a) { return a | map2([](Expr x) { return x * 2.0f; }); });
  const auto kernel = compile<std::vector<float>(std::span<const float>)>(twice);
  const auto x = ramp<float>(49);
  const auto y = kernel(x);
  REQUIRE(y.size() == 49);
  for (std::size_t i = 0; i < 49; ++i) CHECK(y[i] == 2 * x[i]);
}

TEST_CASE("numbers as arguments") {
  const Expr axpy =
      fun({Type(f64), array(f64, n), array(f64, n), Type(i32)}, [](Expr a, Expr x, Expr y, Expr k) {
        return zip({x, y}) | map([=](Expr x, Expr y) { return a * x + y * cast(f64, k); });
      });
  const auto kernel = compile<std::vector<double>(double, const std::vector<double>&,
                                                  const std::vector<double>&, std::int32_t)>(axpy);
  CHECK(kernel(2, {1, 2, 3}, {10, 20, 30}, 3) == std::vector<double>{32, 64, 96});
}

TEST_CASE("bytes and long integers") {
  const Expr image = param("image", array({n, m}, u8)), scale = param("scale", i64);
  const Expr both = image | map2([=](Expr p) {
                      return tuple({cast(u8, min(2 * p, 255)), cast(i64, p) * scale});
                    });
  auto kernel = compile<std::tuple<std::vector<std::uint8_t>, std::vector<std::int64_t>>(
      array_view<const std::uint8_t, 2>, std::int64_t)>(lambda({image, scale}, unzip_n(2, both)));
  std::vector<std::uint8_t> pixels(5 * 37);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 41);
  const auto [bright, scaled] = kernel(array_view<const std::uint8_t, 2>(pixels.data(), {5, 37}), 1L << 40);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    CHECK(bright.at(i) == std::min(2 * pixels[i], 255));
    CHECK(scaled.at(i) == pixels[i] * (1L << 40));
  }
}

TEST_CASE("an argument that the expression updates is overwritten") {
  const auto sweep = compile<void(std::span<double>, std::int32_t)>(red_black());
  std::vector<double> u{0, 0, 8, 0, 8, 0, 0}, expected{0, 4, 8, 8, 8, 4, 0};
  sweep(u, 0);
  CHECK(u == expected);
  sweep(u, 1);
  CHECK(u == std::vector<double>{0, 4, 6, 8, 6, 4, 0});
  CHECK(sweep.source({{"n", 5}}).find("*restrict out") ==
        std::string::npos);  // in place, not through another array

  const auto copying = compile<std::vector<double>(const std::vector<double>&, std::int32_t)>(red_black());
  const std::vector<double> before{0, 0, 8, 0, 8, 0, 0};
  CHECK(copying(before, 0) == expected);
  CHECK(before[1] == 0);
}

TEST_CASE("sweeps one after the other") {
  const auto half = [](const Expr& u, int color) {
    const Expr inside = zip({positions({n}), u | slide(3, 1)}) | map([=](Expr p, Expr w) {
                          return select(eq((get(0, p) + color) % 2, 0), 0.5 * (w[0] + w[2]), w[1]);
                        });
    return update(u, {1}, inside);
  };
  const Expr u = param("u", array(f64, n + 2));
  const Program p{"symmetric", {u}, let(half(u, 0), [&](Expr once) { return half(once, 1); })};
  const auto sweeps = compile<void(std::span<double>)>(p);
  std::vector<double> v{0, 0, 8, 0, 8, 0, 0};
  sweeps(v);
  CHECK(v == std::vector<double>{0, 4, 6, 8, 6, 4, 0});
  CHECK(sweeps.source({{"n", 5}}).find("restrict out") == std::string::npos);
  const auto copying = compile<std::vector<double>(std::span<const double>)>(p);
  CHECK(copying(std::vector<double>{0, 0, 8, 0, 8, 0, 0}) == v);
}

TEST_CASE("an update that is not safe in place goes through a copy") {
  const auto sweep = compile<void(std::vector<double>&)>(jacobi());
  std::vector<double> u{0, 2, 4, 8, 16};
  sweep(u);
  CHECK(u == std::vector<double>{0, 2, 5, 10, 16});
  std::vector<double> gaps{0, -1, 2, -1, 4, -1, 8, -1, 16, -1};
  const auto strided = compile<void(array_view<double, 1>)>(jacobi(), {.copy_views = true});
  strided(array_view(gaps.data(), {5}, {2}));
  CHECK(gaps == std::vector<double>{0, -1, 2, -1, 5, -1, 10, -1, 16, -1});
}

TEST_CASE("several results, numbers as results") {
  const Expr both = fun(array(f64, n), [](Expr x) {
    return tuple({x | map([](Expr e) { return 2.0 * e; }), x | sum(), x | drop(1, 1)});
  });
  const std::vector<double> x{1, 2, 3, 4};
  const auto returned =
      compile<std::tuple<std::vector<double>, double, std::vector<double>>(const std::vector<double>&)>(both);
  const auto [twice, total, inside] = returned(x);
  CHECK(twice == std::vector<double>{2, 4, 6, 8});
  CHECK(total == 10);
  CHECK(inside == std::vector<double>{2, 3});
  const auto written =
      compile<void(std::span<const double>, std::span<double>, double&, std::vector<double>&)>(both);
  std::vector<double> a(4), b(2);
  double sum = 0;
  written(x, a, sum, b);
  CHECK(a == twice);
  CHECK(sum == 10);
  CHECK(b == inside);
  const auto number = compile<double(std::span<const double>)>(
      fun(array(f64, n), [](Expr x) { return x | map([](Expr e) { return e * e; }) | lift::sum(); }));
  CHECK(number(x) == 30);
}

TEST_CASE("one result updates an argument, another reads its old contents") {
  const Expr u = param("u", array(f64, n + 2)), color = index_param("color", 0, 1);
  const Expr change = u | slide(3, 1) | map([](Expr w) { return w[0] - 2.0 * w[1] + w[2]; });
  const Program p{"sweep", {u, color}, tuple({red_black().body, change})};
  const auto kernel = compile<void(std::span<double>, std::int32_t, std::span<double>)>(p);
  std::vector<double> v{0, 0, 8, 0, 8, 0, 0}, change_of(5);
  kernel(v, 0, change_of);
  CHECK(v == std::vector<double>{0, 4, 8, 8, 8, 4, 0});
  CHECK(change_of == std::vector<double>{8, -16, 16, -16, 8});
  CHECK(kernel.source({{"n", 64}}).find("f64x") != std::string::npos);  // both in vectors
}

TEST_CASE("one result updates an argument, others are returned") {
  const Expr u = param("u", array(f64, n + 2)), color = index_param("color", 0, 1);
  const Program p{"sweep", {u, color}, tuple({red_black().body, u | sum(), u | drop(1, 1)})};
  const auto kernel = compile<std::tuple<double, std::vector<double>>(std::span<double>, std::int32_t)>(p);
  std::vector<double> v{0, 0, 8, 0, 8, 0, 0};
  const auto [total, inside] = kernel(v, 0);
  CHECK(v == std::vector<double>{0, 4, 8, 8, 8, 4, 0});
  CHECK(total == 16);
  CHECK(inside == std::vector<double>{0, 8, 0, 8, 0});
  const auto all = compile<std::tuple<std::vector<double>, double, std::vector<double>>(
      std::span<const double>, std::int32_t)>(p);
  CHECK(std::get<0>(all(v, 1)) == std::vector<double>{0, 4, 6, 8, 6, 4, 0});
}

TEST_CASE("one kernel for all sizes") {
  const auto kernel = compile<std::vector<double>(std::span<const double>)>(blur(f64), {.symbolic = true});
  for (const std::size_t length : {1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 1001, 20001}) {
    const Guarded<double> x(ramp<double>(length));
    CHECK(close(kernel(x.span), blurred(ramp<double>(length))));
  }
  CHECK(kernel.source({{"n", 3}}) == kernel.source({{"n", 20001}}));
  CHECK(kernel.source({{"n", 3}}).find("long n") != std::string::npos);

  const Expr cross = fun(array({n, m}, f64), [](Expr a) {
    return a | pad2(1, 1, mirror) | slide2(3, 1) |
           map2([](Expr w) { return w[0][1] + 10.0 * w[1][0] + 100.0 * w[1][2] + 1000.0 * w[2][1]; });
  });
  const auto fixed = compile<std::vector<double>(array_view<const double, 2>)>(cross);
  const auto any = compile<std::vector<double>(array_view<const double, 2>)>(cross, {.symbolic = true});
  const auto data = ramp<double>(600);
  for (const std::int64_t rows : {1, 2, 7, 20})
    for (const std::int64_t columns : {1, 3, 30})
      CHECK(any(array_view(data.data(), {rows, columns})) == fixed(array_view(data.data(), {rows, columns})));

  const auto sweep = compile<void(std::span<double>, std::int32_t)>(red_black(), {.symbolic = true});
  std::vector<double> u{0, 0, 8, 0, 8, 0, 0};
  sweep(u, 0);
  CHECK(u == std::vector<double>{0, 4, 8, 8, 8, 4, 0});
}

TEST_CASE("kernels are made in several threads at once") {
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        const double factor = static_cast<double>(t + 2);
        const auto scale = compile<std::vector<double>(const std::vector<double>&)>(
            fun(array(f64, n), [=](Expr x) { return x | map([=](Expr e) { return factor * e; }); }));
        for (std::size_t length = 1; length < 4; ++length)
          for (const double y : scale(std::vector<double>(length, 1.0))) wrong[t] += y != factor;
      });
  }
  for (const int w : wrong) CHECK(w == 0);
}

TEST_CASE("several threads call one kernel, at sizes new and old") {
  const auto kernel = compile<std::vector<float>(const std::vector<float>&)>(blur(f32));
  std::vector<int> wrong(8, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::size_t round = 0; round < 20; ++round) {  // the longer ones are computed by threads in turn
          const auto x = ramp<float>(round % 5 == 4 ? 20000 : 200 + (round + t) % 3);
          if (!close(kernel(x), blurred(x))) ++wrong[t];
        }
      });
  }
  for (const int w : wrong) CHECK(w == 0);
}

TEST_CASE("every variant takes arrays of any alignment") {
  const Expr x = param("x", array(f32, n));
  const Program p{"blur", {x}, instantiate(blur(f32), std::vector<Expr>{x})};
  const Space space =
      make_space(with_sizes(p, {{"n", 1000}}), Target::openmp, this_machine(), kCallersLayout);
  const auto in = ramp<float>(1000);
  const Guarded<float> last_out(in);
  int streaming = 0;
  for (const Configuration& c : space.seeds()) {
    const auto kernel =
        compile<void(std::span<const float>, std::span<float>)>(p, {.derivation = space.derive(c)});
    REQUIRE(kernel.derivation({{"n", 1000}}) == space.derive(c));
    streaming += kernel.source({{"n", 1000}}).find("store_fence()") != std::string::npos;
    const Guarded<float> last(in);
    kernel(last.span, last_out.span);
    CHECK(close(last_out.contents(), blurred(in)));
    alignas(64) std::array<float, 1020> out{};
    for (const std::size_t first : {0, 1, 6}) {
      out.fill(-1);
      kernel(in, {out.data() + first, 1000});
      CHECK(close({out.begin() + static_cast<std::ptrdiff_t>(first),
                   out.begin() + static_cast<std::ptrdiff_t>(first) + 1000},
                  blurred(in)));
      CHECK(out[first + 1000] == -1);
    }
  }
  CHECK(streaming > 0);
}

TEST_CASE("an explored expression becomes a kernel") {
  using namespace std::chrono_literals;
  ExpressionOptions options{.sizes = {{"n", 4000}}, .budget = 3600s};
  options.more.configurations = 4, options.more.rivals = false;
  const Tuned tuned = explore(blur(f32), options);
  CHECK(tuned.report.counts.wrong == 0);
  CHECK(tuned.source.find("void kernel(") != std::string::npos);
  const auto kernel = tuned.kernel<std::vector<float>(const std::vector<float>&)>();
  CHECK(kernel.derivation({{"n", 4000}}) == tuned.derivation);
  for (const std::size_t length : {4000, 33})
    CHECK(close(kernel(ramp<float>(length)), blurred(ramp<float>(length))));
}

TEST_CASE("updates, reductions and several results are explored") {
  using namespace std::chrono_literals;
  ExpressionOptions options{.sizes = {{"n", 3000}}, .budget = 3600s};
  options.more.configurations = 2, options.more.rivals = false;

  options.overwrites = {"u"};
  const Tuned sweep = explore(red_black(), options);
  CHECK(sweep.report.counts.wrong == 0);
  const auto in_place = sweep.kernel<void(std::span<double>, std::int32_t)>();
  std::vector<double> u{0, 0, 8, 0, 8, 0, 0};
  in_place(u, 0);
  CHECK(u == std::vector<double>{0, 4, 8, 8, 8, 4, 0});

  options.overwrites = {};
  const Expr moments = fun(array(f64, n), [](Expr x) {
    return tuple({x | lift::sum(), x | map([](Expr e) { return e * e; }) | lift::sum(),
                  x | map([](Expr e) { return -e; })});
  });
  const Tuned sums = explore(moments, options);
  CHECK(sums.report.counts.wrong == 0);
  const auto of = sums.kernel<std::tuple<double, double, std::vector<double>>(std::span<const double>)>();
  const std::vector<double> x{1, 2, 3};
  CHECK(of(x) == std::tuple{6.0, 14.0, std::vector<double>{-1, -2, -3}});
}

}  // namespace compile_test
