// What callers can pass that no kernel can do: refused with a message, or done right.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "liftgen/lift.hpp"
#include "tests/message.hpp"

namespace lift::refused_calls_test {
namespace {

using V = std::vector<double>;
using lift::test::message;

const Nat n = lift::nat("n");

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

/// Not safe in place: computed beside.
Expr sums_of_neighbours(const Expr& u, double factor) {
  return update(u, {1}, u | slide(3, 1) | map([=](Expr w) { return factor * (w[0] + w[2]); }));
}
Expr times(const Expr& u, double factor) {
  return u | map2([=](Expr e) { return e * factor; });
}

}  // namespace

TEST_CASE("results that are computed beside share no memory") {
  const Expr u = param("u", array({8}, f64)), v = param("v", array({8}, f64));
  const auto k = compile<void(std::span<double>, std::span<double>)>(
      Program{"p", {u, v}, tuple({sums_of_neighbours(u, 0.5), sums_of_neighbours(v, 2.0)})});
  V x{1, 2, 3, 4, 5, 6, 7, 9}, y = x;
  CHECK(says(message([&] { k(x, x); }), "argument 1 (u) is written, but shares memory with argument 2"));
  CHECK(x == y);
  k(x, y);
  CHECK(x == V{1, 2, 3, 4, 5, 6, 7.5, 9});
  CHECK(y == V{1, 8, 12, 16, 20, 24, 30, 9});

  const Expr a = param("a", array({2, 3}, f64));
  const auto copied = compile<void(const V&, array_view<double, 2>, array_view<double, 2>)>(
      Program{"p", {a}, tuple({times(a, 2), times(a, 3)})}, {.copy_views = true});
  const V from{1, 2, 3, 4, 5, 6};
  V to(12, -1);
  const array_view<double, 2> columns(to.data(), {2, 3}, {1, 2}), others(to.data() + 6, {2, 3}, {1, 2});
  CHECK(says(message([&] { copied(from, columns, columns); }), "shares memory"));
  copied(from, columns, others);
  CHECK(to == V{2, 8, 4, 10, 6, 12, 3, 12, 6, 15, 9, 18});
}

TEST_CASE("of two results that update one argument, the first goes there") {
  const Program p = parse_program(
      "param u : 6.f64\nresult a, b = {update(u, 1, u |> drop(1, 1) |> map(\\v. 2 * v)), "
      "update(u, 0, u |> map(\\v. v + 1))}\n");
  CHECK(says(message([&] { compile<void(V&)>(p); }), "2 results, which need 2"));
  V u{1, 2, 3, 4, 5, 6}, b(6);
  compile<void(V&, V&)>(p)(u, b);
  CHECK(u == V{1, 4, 6, 8, 10, 6});
  CHECK(b == V{2, 3, 4, 5, 6, 7});

  V w{1, 2, 3, 4, 5, 6};
  CHECK(compile<V(V&)>(p)(w) == V{2, 3, 4, 5, 6, 7});
  CHECK(w == V{1, 4, 6, 8, 10, 6});

  V x{1, 2, 3, 4, 5, 6};
  const auto on_device = compile<void(V&, V&)>(p, {.device = Device::emulated_cuda()});
  on_device(x, b);
  CHECK(x == V{1, 4, 6, 8, 10, 6});

  // One after the other: the second reads what the first made.
  const Program steps = parse_program(
      "param u : 6.f64\nresult a, b = let a = update(u, 1, u |> drop(1, 1) |> map(\\v. 2 * v)) in "
      "{a, update(a, 0, a |> map(\\v. v + 1))}\n");
  V y{1, 2, 3, 4, 5, 6};
  compile<void(V&, V&)>(steps)(y, b);
  CHECK(y == V{1, 4, 6, 8, 10, 6});
  CHECK(b == V{2, 5, 7, 9, 11, 7});
}

TEST_CASE("a number goes into an array of one only where the array's layout has it first") {
  const Expr x = param("x", array({n}, f64));
  const Program total{"p", {x}, x | sum()};
  const auto k = compile<void(const stored_array<double, 1>&, stored_array<double, 1>&)>(total);
  for (const char* layout : {"rows 8 1", "rows 8 0", "split 1 4", "caller"}) {
    CAPTURE(layout);
    stored_array<double, 1> a(parse_layout(layout), {5}), b(parse_layout(layout), {1});
    for (int i = 0; i < 5; ++i) a(i) = i + 1;
    b(0) = -1;
    const std::string refused = message([&] { k(a, b); });
    if (std::string(layout) == "rows 8 1") {
      CHECK(says(refused, "return the number, or pass a reference to one"));
      double sum = 0;
      compile<void(const stored_array<double, 1>&, double&)>(total)(a, sum);
      CHECK(sum == 15);
      CHECK(compile<double(const stored_array<double, 1>&)>(total)(a) == 15);
    } else {
      CHECK(refused == "");
      CHECK(b(0) == 15);
    }
  }
}

TEST_CASE("results within results") {
  const Expr u = param("u", array({4, 6}, f64));
  V x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i + 1);
  const auto expected = [&](double f) {
    V r = x;
    for (double& e : r) e *= f;
    return r;
  };
  const std::tuple<V, V, V> all{expected(2), expected(3), expected(4)};
  const Program last{"p", {u}, tuple({times(u, 2), tuple({times(u, 3), times(u, 4)})})},
      first{"p", {u}, tuple({tuple({times(u, 2), times(u, 3)}), times(u, 4)})};
  CHECK(compile<std::tuple<V, V, V>(const V&)>(last)(x) == all);
  CHECK(compile<std::tuple<V, V, V>(const V&)>(first)(x) == all);
  CHECK(compile<std::tuple<V, V, V>(const V&)>(last, {.device = Device::emulated_cuda()})(x) == all);
  V a(24), b(24), c(24);
  compile<void(const V&, V&, V&, V&)>(first)(x, a, b, c);
  CHECK(std::tuple(a, b, c) == all);

  const Expr w = param("w", array({n}, f64)), more = w | map([](Expr e) { return e + 1.0; });
  const Program deep{"p", {w}, tuple({w | sum(), tuple({tuple({more, w | sum()}), more})})};
  const std::tuple<double, V, double, V> mixed{6, {2, 3, 4}, 6, {2, 3, 4}};
  for (const bool symbolic : {false, true}) {
    CAPTURE(symbolic);
    CHECK(compile<std::tuple<double, V, double, V>(const V&)>(deep, {.symbolic = symbolic})({1, 2, 3}) ==
          mixed);
  }

  const Program updates{
      "p", {w}, tuple({more, tuple({sums_of_neighbours(w, 1), w | map([](Expr e) { return 2.0 * e; })})})};
  CHECK(compile<std::tuple<V, V, V>(const V&)>(updates)({1, 2, 3, 4}) ==
        std::tuple<V, V, V>{{2, 3, 4, 5}, {1, 4, 6, 4}, {2, 4, 6, 8}});

  ExpressionOptions options{.budget = std::chrono::seconds(3600)};
  options.more.configurations = 2, options.more.rivals = false;
  const Tuned tuned = explore(last, options);
  CHECK(tuned.report.counts.wrong == 0);
  CHECK(compile<std::tuple<V, V, V>(const V&)>(last, {.derivation = tuned.derivation})(x) == all);
}

TEST_CASE("a derivation of several results, into arrays with gaps") {
  const Expr u = param("u", array({5, 6}, f64));
  const Program p{"p", {u}, tuple({times(u, 2), times(u, 3)})};
  const auto derivation = parse_derivation("map-par at 0\nmap-par at 1");
  const auto k =
      compile<void(const V&, array_view<double, 2>, array_view<double, 2>)>(p, {.derivation = derivation});
  const V x(30, 1);
  V a(5 * 8, -1), b(5 * 7, -1);
  const array_view<double, 2> wide_a(a.data(), {5, 6}, {8, 1}), wide_b(b.data(), {5, 6}, {7, 1});
  const auto holds = [](const V& all, std::size_t pitch, double value) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != (i % pitch < 6 ? value : -1)) return false;
    return true;
  };
  k(x, wide_a, wide_b);
  CHECK(holds(a, 8, 2));
  CHECK(holds(b, 7, 3));

  // Only one of them has gaps.
  a.assign(a.size(), -1);
  V c(30, -1);
  const array_view<double, 2> dense(c.data(), {5, 6});
  CHECK(says(message([&] { k(x, wide_a, dense); }), "a view with gaps, which this result cannot be written"));
  compile<void(const V&, array_view<double, 2>, array_view<double, 2>)>(
      p, {.derivation = derivation, .copy_views = true})(x, wide_a, dense);
  CHECK(holds(a, 8, 2));
  CHECK(holds(c, 6, 3));
}

TEST_CASE("arguments of the same name, and parameters from outside") {
  const Expr add = fun({array(f64, n), array(f64, n)}, [](Expr a, Expr b) {
    return zip({a, b}) | map([](Expr x, Expr y) { return x + 10.0 * y; });
  });
  using Two = V(const V&, const V&);
  CHECK(says(message([&] { compile<Two>(add, {.names = {"x", "x"}}); }), "1 and 2 are both named 'x'"));
  const Expr x = param("x", array(f64, n));
  CHECK(says(message([&] {
               compile<Two>(Program{"p", {x, x}, x | map([](Expr e) { return e * 2.0; })});
             }),
             "1 and 2 are both named 'x'"));

  const Expr w = param("w", f64);
  CHECK(says(message([&] {
               compile<V(const V&)>(
                   fun(array(f64, n), [&](Expr xs) { return xs | map([&](Expr e) { return e * w; }); }));
             }),
             "mentions 'w' (f64), which is no argument of the program; make it a parameter of the function"));
  CHECK(says(message([&] {
               compile<V(const V&)>(fun(array(f64, n), [&](Expr xs) {
                 return zip({xs, x}) | map([](Expr e, Expr f) { return e * f; });
               }));
             }),
             "mentions 'x'"));
}

TEST_CASE("arrays that no memory holds") {
  const std::int64_t half = std::int64_t{1} << 32, most = std::int64_t{1} << 61;
  CHECK_THROWS_AS(allocate<double>({half, half}), UserError);
  CHECK_THROWS_AS(allocate<double>({most}), UserError);
  CHECK(says(message([&] { allocate<double>({-4}); }), "a length of -4; lengths are at least 1"));
  for (const char* layout : {"caller", "rows 8 1", "split 1 8"}) {
    CAPTURE(layout);
    CHECK_THROWS_AS((stored_array<double, 2>(parse_layout(layout), {half, half})), UserError);
    CHECK_THROWS_AS((stored_array<double, 1>(parse_layout(layout), {most})), UserError);
  }
  CHECK_THROWS_AS((stored_array<double, 1>(parse_layout("rows 4611686018427387904 1"), {5})), UserError);
  const Device device = Device::emulated_cuda();
  CHECK_THROWS_AS((device_array<double, 2>(device, {half, half})), OutOfDeviceMemory);
  CHECK_THROWS_AS((device_array<double, 1>(device, {most})), OutOfDeviceMemory);

  const Expr u = param("u", array({n, lift::nat("m")}, f64));
  const double one = 1;
  const auto k = compile<double(array_view<const double, 2>)>(
      Program{"p", {u}, u | map([](Expr row) { return row | sum(); }) | sum()}, {.copy_views = true});
  CHECK(says(message([&] {
               k(array_view<const double, 2>(&one, {3L, 6148914691236517206L}, {0, 0}));
             }),
             "which no memory holds"));
  CHECK(k(array_view<const double, 2>(&one, {3, 4}, {0, 0})) == 12);
}

TEST_CASE("results that no memory holds") {
  const Expr u = param("u", array({n}, f64));
  const auto products = [](Expr xs, Expr x) { return xs | map([=](Expr y) { return x * y; }); };
  const Program p{
      "p", {u}, u | map([&](Expr x) { return u | map([&](Expr y) { return products(u, x * y); }); })};
  const auto k = compile<V(const V&)>(p);
  for (const std::int64_t length : {std::int64_t{1} << 20, std::int64_t{1} << 22}) {  // 2^63 bytes, and 2^69
    CAPTURE(length);
    CHECK(says(message([&] { k.prepare({{"n", length}}); }), "takes more than any memory holds"));
  }
  CHECK(k({1, 2}) == V{1, 2, 2, 4, 2, 4, 4, 8});
}

TEST_CASE("a view to be written has an element for each position") {
  const Expr u = param("u", array({2, 3}, f64));
  const Program p{"p", {u}, times(u, 2)};
  const V x{1, 2, 3, 4, 5, 6};
  for (const bool on_device : {false, true}) {
    CompileOptions options{.copy_views = true};
    if (on_device) options.device = Device::emulated_cuda();
    const auto k = compile<void(const V&, array_view<double, 2>)>(p, options);
    V to(20);
    const auto refused = [&](std::int64_t rows, std::int64_t columns) {
      const array_view<double, 2> view(to.data() + 10, {2L, 3L}, {rows, columns});
      return says(message([&] { k(x, view); }), "has one element at several positions");
    };
    CHECK(refused(0, 1));
    CHECK(refused(1, 1));
    CHECK(refused(4, 2));
    CHECK(refused(-1, 1));
    CHECK(!refused(1, 2));
    CHECK(!refused(-3, 1));
    CHECK(!refused(3, 2));  // 0 2 4, and 3 5 7 between them
    CHECK(to[10] == 2);
    CHECK(to[12] == 4);
    CHECK(to[13] == 8);
    CHECK(to[17] == 12);
  }
}

TEST_CASE("a queue that was moved from says so") {
  const Device device = Device::emulated_cuda();
  const Expr u = param("u", array({4}, f64));
  const auto k = compile<void(device_array<double, 1>&)>(
      Program{"p", {u}, update(u, {0}, u | map([](Expr e) { return e + 1.0; }))}, {.device = device});
  device_array<double, 1> x(device, {4});
  Queue a(device);
  Queue b(std::move(a));
  const std::string moved = "it was moved from";
  CHECK(says(message([&] { a.wait(); }), moved));
  CHECK(says(message([&] { k.async(a, x); }), moved));
  CHECK(says(message([&] { a.together([] {}); }), moved));
  CHECK(a.device() == device);
  k.async(b, x);
  b.wait();
  a = std::move(b);
  k.async(a, x);
  a.wait();
  CHECK(x.download() == V(4, 2.0));
  Device other = device;
  const Device taken = std::move(other);
  CHECK(other.name() == taken.name());  // NOLINT: a device stays one
}

TEST_CASE("a result in a layout is not returned as an array on a device") {
  const Device device = Device::emulated_cuda();
  const Expr x = param("x", array({n}, f64));
  const auto k = compile<device_array<double, 1>(const device_array<double, 1>&)>(
      Program{"p", {x}, x | map([](Expr e) { return e + 1.0; })}, {.device = device});
  const device_array<double, 1> in_rows(device, stored_array<double, 1>(parse_layout("rows 8 1"), {5}));
  CHECK(says(message([&] { k(in_rows); }), "but returned as a lift::device_array<double, 1>"));
}

}  // namespace lift::refused_calls_test
