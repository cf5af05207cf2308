// Kernels of OpenCL and CUDA as C++ functions: arrays of the host and arrays that stay on the device.
#include <doctest/doctest.h>

#include "liftgen/lift.hpp"
#include "runtime/opencl.hpp"
#include "tests/embed/devices.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::devices;
using lift::test::message;

namespace device_test {
namespace {

const Nat n = lift::nat("n"), m = lift::nat("m");

Expr blur() {
  return fun(array({n, m}, f32), [](Expr a) {
    return a | pad2(1, 1, clamp) | slide2(3, 1) |
           map2([](Expr w) { return w[0][1] + 2.0f * w[1][0] + 3.0f * w[1][2] + 4.0f * w[2][1]; });
  });
}
/// Half-sweep of u'' = 0 on the inside, safe in place.
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
Program scaled() {
  const Expr x = param("x", array(f64, n)), color = index_param("color", 0, 1);
  return {"scaled", {x, color}, x | map([=](Expr e) { return e * cast(f64, color); }), {}};
}

template <class T>
std::vector<T> ramp(std::size_t count) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<T>((7 * i) % 12);
  return x;
}

/// What goes between host and device while f runs.
template <class F>
GridTransfers transfers(const Device& device, const F& f) {
  const GridTransfers before = device.transfers();
  f();
  const GridTransfers after = device.transfers();
  return {after.writes - before.writes, after.written_bytes - before.written_bytes,
          after.reads - before.reads, after.read_bytes - before.read_bytes};
}

}  // namespace

TEST_CASE("device: arrays of the host are copied there and back") {
  using View = array_view<const float, 2>;
  const auto on_host = compile<std::vector<float>(View)>(blur());
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto returned = compile<std::vector<float>(View)>(blur(), {.device = device});
    const auto written = compile<void(View, array_view<float, 2>)>(blur(), {.device = device});
    for (const auto& [rows, columns] : {std::pair{17, 33}, {1, 5}, {64, 64}}) {
      const auto x = ramp<float>(static_cast<std::size_t>(rows * columns));
      const View view(x.data(), {rows, columns});
      const std::vector<float> expected = on_host(view);
      const GridTransfers t = transfers(device, [&] { CHECK(returned(view) == expected); });
      CHECK(t.writes == 1);
      CHECK(t.written_bytes == 4 * x.size());
      CHECK(t.reads == 1);
      std::vector<float> wide(static_cast<std::size_t>(rows * (columns + 3)), -1), in(wide);  // with gaps
      const array_view gapped(in.data(), {rows, columns}, {columns + 3, 1});
      const array_view to(wide.data(), {rows, columns}, {columns + 3, 1});
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) gapped(j, i) = view(j, i);
      written(gapped, to);
      bool same = true;
      for (std::size_t e = 0; e < wide.size(); ++e) {
        const std::size_t row = e / static_cast<std::size_t>(columns + 3),
                          i = e % static_cast<std::size_t>(columns + 3);
        same &= wide[e] == (i < static_cast<std::size_t>(columns)
                                ? expected[row * static_cast<std::size_t>(columns) + i]
                                : -1);
      }
      CHECK(same);
    }
  }
}

TEST_CASE("device: of arrays on the device nothing is copied") {
  using Grid = device_array<float, 2>;
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto x = ramp<float>(20 * 30);
    const array_view view(x.data(), {20, 30});
    const Grid in(device, view);
    Grid out(device, {20, 30});
    CHECK(out.download() == std::vector<float>(600, 0));
    const auto into = compile<void(const Grid&, Grid&)>(blur(), {.device = device});
    const auto returned = compile<Grid(const Grid&)>(blur(), {.device = device});
    Grid made;
    const GridTransfers t = transfers(device, [&] {
      into(in, out);
      made = returned(out);
      into(made, out);
    });
    CHECK(t.writes == 0);
    CHECK(t.reads == 0);
    const auto host = compile<std::vector<float>(array_view<const float, 2>)>(blur());
    std::vector<float> expected = host(view);
    for (int again = 0; again < 2; ++again)
      expected = host(array_view<const float, 2>(expected.data(), {20, 30}));
    CHECK(out.download() == expected);
    CHECK(made.length(0) == 20);
    CHECK(made.length(1) == 30);
    CHECK(in.download() == x);
  }
}

TEST_CASE("device: updates overwrite arrays on the device, safe in place or not") {
  using Line = device_array<double, 1>;
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto sweep = compile<void(Line&, std::int32_t)>(red_black(), {.device = device});
    const auto all = compile<void(Line&)>(jacobi(), {.device = device});
    Line u(device, std::vector<double>{0, 0, 8, 0, 8, 0, 0});
    const GridTransfers t = transfers(device, [&] { sweep(u, 0); });
    CHECK(u.download() == std::vector<double>{0, 4, 8, 8, 8, 4, 0});
    const GridTransfers beside = transfers(device, [&] { all(u); });
    CHECK(u.download() == std::vector<double>{0, 4, 6, 8, 6, 4, 0});
    CHECK(t.writes + t.reads + beside.writes + beside.reads == 0);
    CHECK(sweep.source({{"n", 5}}).find("out") == std::string::npos);  // in place
    CHECK(all.source({{"n", 5}}).find("out") != std::string::npos);
    // The same of the host's arrays.
    const auto of_host = compile<void(std::span<double>, std::int32_t)>(red_black(), {.device = device});
    const auto all_of_host = compile<void(std::span<double>)>(jacobi(), {.device = device});
    std::vector<double> v{0, 0, 8, 0, 8, 0, 0};
    of_host(v, 0);
    CHECK(v == std::vector<double>{0, 4, 8, 8, 8, 4, 0});
    all_of_host(v);
    CHECK(v == std::vector<double>{0, 4, 6, 8, 6, 4, 0});
  }
}

TEST_CASE("device: numbers, several results, and arrays of the host among those of the device") {
  const Expr both = fun({array(f64, n), array(f64, n), Type(f64)}, [](Expr x, Expr y, Expr a) {
    const Expr z = zip({x, y}) | map([=](Expr x, Expr y) { return a * x + y; });
    return tuple({z, zip({x, y}) | map([](Expr x, Expr y) { return x * y; }) | sum()});
  });
  using Line = device_array<double, 1>;
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const auto kernel = compile<std::tuple<Line, double>(const Line&, std::span<const double>, double)>(
        both, {.device = device});
    const Line x(device, std::vector<double>{1, 2, 3});
    const std::vector<double> y{10, 20, 30};
    auto [z, total] = kernel(x, y, 2);
    CHECK(z.download() == std::vector<double>{12, 24, 36});
    CHECK(total == 140);
    const auto kept =
        compile<std::tuple<Line, Line>(const Line&, const Line&, double)>(both, {.device = device});
    const auto [z2, total2] = kept(x, z, -1);
    CHECK(z2.download() == std::vector<double>{11, 22, 33});
    CHECK(total2.download() == std::vector<double>{12 + 48 + 108});
    const auto passed =
        compile<void(const Line&, std::span<const double>, double, Line&, double&)>(both, {.device = device});
    Line out(device, {3});
    double sum = 0;
    passed(x, y, 1, out, sum);
    CHECK(out.download() == std::vector<double>{11, 22, 33});
    CHECK(sum == 140);
  }
}

TEST_CASE("device: arrays go there and back, whole, with gaps, copied, in layouts") {
  for (const Device& device : devices()) {
    const auto x = ramp<double>(3 * 5);
    std::vector<double> wide(3 * 7, -1);
    const array_view gapped(wide.data(), {3, 5}, {7, 1});
    device_array<double, 2> a(device, array_view(x.data(), {3, 5}));
    a.download(gapped);
    CHECK(gapped(2, 4) == x[14]);
    CHECK(wide[5] == -1);
    gapped(1, 1) = 99;
    const device_array<double, 2> b = a.copy();
    a.upload(gapped);
    CHECK(a.download()[6] == 99);
    CHECK(b.download() == x);
    device_array<double, 2> taken = std::move(a);
    CHECK(taken.download()[6] == 99);
    CHECK(message([&] { a.download(); }).find("moved from") !=
          std::string::npos);  // NOLINT: that is the test
    CHECK(message([&] {
            taken.upload(array_view<const double, 2>(x.data(), {5, 3}));
          }) == "lift::device_array: upload: 3x5 elements are on the device, the host's array has 5x3");
    CHECK(message([&] { device_array<double, 2>(device, {3, 0}); }).find("at least 1") != std::string::npos);

    stored_array split(parse_layout("split 2 1"), array_view(x.data(), {3, 5}));
    const device_array c(device, split);
    CHECK(str(c.layout()) == "split 2 1");
    CHECK(message([&] { c.download(gapped); }).find("in the layout 'split 2 1'") != std::string::npos);
    split(1, 2) = 7;
    c.download(split);
    CHECK(split(1, 2) == x[7]);
  }
}

TEST_CASE("device: what is asked of the wrong device, or of none, is refused") {
  using Line = device_array<double, 1>;
  const Device cuda = Device::emulated_cuda();
  const int line = __LINE__ + 1;
  const std::string openmp = message([] { compile<void(Line&, std::int32_t)>(red_black()); });
  CHECK(openmp.find(
            "red_black: argument 1 is lift::device_array<double, 1>& in the signature, but an openmp kernel "
            "runs on the processors; set CompileOptions::backend or device") == 0);
  CHECK(openmp.find("device_test.cpp:" + std::to_string(line) + "]") != std::string::npos);
  CHECK(message([&] {
          compile<void(Line&, std::int32_t)>(red_black(), {.backend = Target::opencl, .device = cuda});
        }).find("CompileOptions::backend is opencl, but the device emulated CUDA device is of cuda") !=
        std::string::npos);
  CHECK(message([&] {
          compile<void(Line&, std::int32_t)>(red_black(), {.device = cuda, .symbolic = true});
        }).find("CompileOptions::symbolic is for openmp") != std::string::npos);
  CHECK(message([&] {
          compile<void(device_array<float, 1>&, std::int32_t)>(red_black(), {.device = cuda});
        }).find("argument 1 (u) is (n + 2).f64 in the expression, but lift::device_array<float, 1>&") !=
        std::string::npos);
  CHECK(message([] { Device device(Target::openmp); }).find("without a device") != std::string::npos);

  const auto kernel = compile<void(const Line&, std::int32_t, Line&)>(scaled(), {.device = cuda});
  Line x(cuda, std::vector<double>{1, 2}), y(cuda, {2}), longer(cuda, {3});
  CHECK_NOTHROW(kernel(x, 1, y));
  const int call = __LINE__ + 1;
  const std::string range = message([&] { kernel(x, 2, y); });
  CHECK(range.find("argument 2 (color) is 2, but lies in 0..1") != std::string::npos);
  CHECK(range.find("device_test.cpp:" + std::to_string(call) + "]") != std::string::npos);
  CHECK(message([&] { kernel(x, 1, x); }).find("is written, but shares memory with argument 1") !=
        std::string::npos);
  CHECK(message([&] { kernel(x, 1, longer); }).find("x 2, result 3") != std::string::npos);
  CHECK(message([&] { kernel(Line(), 1, y); }) != "");
  CHECK(y.download() == x.download());

  const std::string none = opencl::why_unavailable();
  if (!none.empty()) {
    CHECK_THROWS_AS(compile<void(Line&)>(jacobi(), {.backend = Target::opencl}), EnvironmentError);
    return;
  }
  const Device opencl(Target::opencl);
  Line there(opencl, {2});
  CHECK(message([&] { kernel(x, 1, there); })
            .find("argument 3 (the result) is on " + opencl.name() +
                  ", but the kernel runs on emulated CUDA device") != std::string::npos);
  CHECK_THROWS_AS(Device(Target::opencl, 99), EnvironmentError);
  CHECK(message<EnvironmentError>([] {
          Device(Target::opencl, 99);
        }).find("there is no opencl device 99; choose from 0 (") == 0);
  CHECK(message([] { Device(Target::opencl, "no such"); }).find("is in the name of no opencl device") !=
        std::string::npos);
  CHECK(Device(Target::opencl, opencl.name().substr(1, 5)) == opencl);
}

}  // namespace device_test
