// Explored for a device, an expression gives kernels for that device; what is found is remembered of it.
#include <doctest/doctest.h>

#include <filesystem>

#include <unistd.h>

#include "liftgen/lift.hpp"
#include "tests/embed/devices.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::devices;
using lift::test::message;

namespace explored_devices_test {
namespace {

const Nat n = lift::nat("n");
using Grid = device_array<double, 2>;

Expr neighbours(const Expr& w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1]; }

/// One colour of the cells inside, in place.
Program half_sweep() {
  const Expr u = param("u", array({n + 2, n + 2}, f64)), f = param("f", array({n + 2, n + 2}, f64)),
             color = index_param("color", 0, 1);
  const auto cell = [=](Expr p, Expr w, Expr f) {
    return select(eq((get(0, p) + get(1, p) + color) % 2, 0), 0.25 * (neighbours(w) - f), w[1][1]);
  };
  return {"half_sweep",
          {u, f, color},
          update(u, {1, 1}, zip_n(2, {positions({n, n}), u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell)),
          {"u"}};
}
Expr mean() {
  return fun(array({n, n}, f32), [](Expr a) {
    return a | pad2(1, 1, clamp) | slide2(3, 1) | map2([](Expr w) { return 0.25f * neighbours(w); });
  });
}

ExpressionOptions options_for(const Device& device, int configurations) {
  ExpressionOptions options;
  options.sizes = {{"n", 30}}, options.budget = std::chrono::seconds(600), options.device = device;
  options.more.configurations = configurations;
  options.more.rivals = options.more.plain = false;
  options.database = "/dev/null/none";
  return options;
}

}  // namespace

TEST_CASE("explored for a device, an expression gives kernels for arrays on it") {
  const auto on_host =
      compile<void(array_view<double, 2>, array_view<const double, 2>, std::int32_t)>(half_sweep());
  for (const Device& device : devices()) {
    CAPTURE(device.name());
    const Tuned tuned = explore(half_sweep(), options_for(device, 3));
    CHECK(tuned.report.target == device.backend());
    REQUIRE(tuned.device);
    CHECK(*tuned.device == device);
    const auto kernel = tuned.kernel<void(Grid&, const Grid&, std::int32_t)>();
    CHECK(kernel.derivation({{"n", 30}}) == tuned.derivation);
    const bool cuda = device.backend() == Target::cuda;
    CHECK(kernel.source({{"n", 30}}).find(cuda ? "__global__" : "__kernel ") != std::string::npos);
    for (const std::int64_t length : {32, 9}) {  // explored at the one; the other takes what it can
      std::vector<double> u(static_cast<std::size_t>(length * length)), f(u.size());
      for (std::size_t i = 0; i < u.size(); ++i)
        u[i] = static_cast<double>(i * 7 % 23), f[i] = static_cast<double>(i % 5);
      const array_view view(u.data(), {length, length}), rhs(f.data(), {length, length});
      Grid there(device, view);
      const Grid right(device, rhs);
      for (const int color : {0, 1, 0}) kernel(there, right, color), on_host(view, rhs, color);
      CHECK(there.download() == u);
    }
  }
}

TEST_CASE("what was found on a device is known there, and not on processors") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("liftgen-embed-" + std::to_string(::getpid()) + ".db");
  for (const Device& device : devices()) {
    if (device.is_emulated()) continue;  // its times are not kept
    ExpressionOptions options = options_for(device, 2);
    options.database = file, options.unless_known = true;
    const Tuned first = explore(mean(), options), second = explore(mean(), options);
    CHECK(first.origin.empty());
    CHECK(second.origin.find("found for this problem") != std::string::npos);
    CHECK(second.derivation == first.derivation);
    CHECK(second.report.target == Target::opencl);
    const auto known = compile<std::vector<float>(array_view<const float, 2>)>(
        mean(), {.device = device, .tuned = true, .database = file});
    CHECK(known.origin({{"n", 30}}).find("found for this problem") != std::string::npos);
    CHECK(known.derivation({{"n", 30}}) == first.derivation);
    const auto on_host =
        compile<std::vector<float>(array_view<const float, 2>)>(mean(), {.tuned = true, .database = file});
    CHECK(on_host.origin({{"n", 30}}).empty());
    const std::vector<float> x(900, 3);
    CHECK(known(array_view(x.data(), {30, 30})) == on_host(array_view(x.data(), {30, 30})));
  }
  std::filesystem::remove(file);
}

TEST_CASE("kernels in a layout take arrays on the device in that layout") {
  const Device device = Device::emulated_cuda();
  ExpressionOptions options = options_for(device, 2);
  options.layout = parse_layout("split 2 1");
  const Tuned tuned = explore(half_sweep(), options);
  CHECK(str(tuned.layout) == "split 2 1");
  const auto kernel = tuned.kernel<void(Grid&, const Grid&, std::int32_t)>();
  stored_array<double, 2> u(tuned.layout, {32, 32});
  u(5, 5) = 4;
  Grid there(device, u);
  const Grid zeros(device, stored_array<double, 2>(tuned.layout, {32, 32}));
  kernel(there, zeros, 1);
  there.download(u);
  CHECK(u(5, 6) == 1);
  CHECK(u(4, 5) == 1);
  Grid rows(device, {32, 32});
  CHECK(message([&] { kernel(rows, zeros, 1); }).find("in one layout") != std::string::npos);
}

TEST_CASE("operators that share arrays are explored on a device together") {
  const TunedTogether all = explore_together({half_sweep()}, options_for(Device::emulated_cuda(), 1));
  REQUIRE(all.operators.size() == 1);
  CHECK(all.costs.size() >= 2);
  CHECK(all.operators[0].report.target == Target::cuda);
}

TEST_CASE("a derivation for a device, and backends that do not agree") {
  const Device device = Device::emulated_cuda();
  const auto kernel = compile<std::vector<float>(array_view<const float, 2>)>(
      mean(), {.device = device, .derivation = parse_derivation("map-nest at body\nmap-glb 0 at body")});
  const std::vector<float> x(64, 2);
  CHECK(kernel(array_view(x.data(), {8, 8})) == x);
  ExpressionOptions options = options_for(device, 1);
  options.backend = Target::opencl;
  CHECK(message([&] {
          explore(mean(), options);
        }).find("the backend is opencl, but the device emulated CUDA device is of cuda") !=
        std::string::npos);
}

}  // namespace explored_devices_test
