// Kernels of OpenCL or CUDA on arrays that stay on the device: red-black sweeps of the 2D Poisson equation
// -u'' = f for two right-hand sides at a time, each in a queue of its own.
//
//   example_12_on_a_device             the first OpenCL device, else CUDA emulated on the processor
//   example_12_on_a_device cuda 1      the second CUDA device
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <liftgen/lift.hpp>

using namespace lift;

namespace {

const Nat n = nat("n");
const Expr u = param("u", array({n + 2, n + 2}, f64));  // with the border, which is zero
const Expr f = param("f", array({n + 2, n + 2}, f64));
const Expr h2 = param("h2", f64);  // grid spacing, squared

Expr neighbours(Expr w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1]; }

/// The cells of one colour solve their equation.
Program half_sweep() {
  const Expr color = index_param("color", 0, 1);
  const auto cell = [=](Expr p, Expr w, Expr f) {
    return select(eq((get(0, p) + get(1, p) + color) % 2, 0), 0.25 * (neighbours(w) + h2 * f), w[1][1]);
  };
  const Expr inside = zip_n(2, {positions({n, n}), u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell);
  return {"half_sweep", {u, f, h2, color}, update(u, {1, 1}, inside)};
}
/// The sum of the squares of f - A u.
Program residual_squared() {
  const auto cell = [=](Expr w, Expr f) {
    const Expr r = f - (4.0 * w[1][1] - neighbours(w)) / h2;
    return r * r;
  };
  const Expr inside = zip_n(2, {u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell);
  return {"residual_squared", {u, f, h2}, inside | map([](Expr row) { return row | sum(); }) | sum()};
}

Device device_of(int argc, char** argv) {
  if (argc > 1) {
    const auto backend = target_named(argv[1]);
    if (!backend) throw UserError(std::string(argv[1]) + ": no backend; write opencl or cuda");
    return Device(*backend, argc > 2 ? std::atoi(argv[2]) : -1);
  }
  try {
    return Device(Target::opencl);
  } catch (const EnvironmentError& e) {
    std::printf("%s; emulated\n", e.what());
    return Device::emulated_cuda();
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device = device_of(argc, argv);
  std::printf("%s\n", device.name().c_str());
  using Grid = device_array<double, 2>;
  const auto smooth =
      compile<void(Grid&, const Grid&, double, std::int32_t)>(half_sweep(), {.device = device});
  const auto rest = compile<double(const Grid&, const Grid&, double)>(residual_squared(), {.device = device});

  constexpr std::int64_t cells = 14, length = cells + 2;
  constexpr double h = 1.0 / (cells + 1);
  std::vector<double> ones(length * length, 1), twos(length * length, 2);
  const Grid f1(device, array_view(ones.data(), {length, length})),
      f2(device, array_view(twos.data(), {length, length}));
  Grid u1(device, {length, length}), u2(device, {length, length});
  const double before = rest(u1, f1, h * h);

  // Nothing goes between the host and the device from here ...
  const GridTransfers begin = device.transfers();
  Queue first(device), second(device);
  for (int sweep = 0; sweep < 150; ++sweep)
    for (const int color : {0, 1}) {
      smooth.async(first, u1, f1, h * h, color);
      smooth.async(second, u2, f2, h * h, color);
    }
  first.wait(), second.wait();
  const GridTransfers end = device.transfers();
  std::printf("%llu transfers\n",
              static_cast<unsigned long long>(end.writes + end.reads - begin.writes - begin.reads));
  // ... to here: a number is read.
  const double after = rest(u1, f1, h * h);
  const std::vector<double> x1 = u1.download(), x2 = u2.download();
  const double middle = x1[(length / 2) * length + length / 2];
  std::printf("residual %.3g, then %.3g; u in the middle %.4f\n", std::sqrt(before), std::sqrt(after),
              middle);

  bool right = after < 1e-4 * before && std::abs(middle - 0.0731) < 0.002 && end.writes == begin.writes;
  for (std::size_t i = 0; i < x1.size(); ++i) right = right && std::abs(x2[i] - 2 * x1[i]) < 1e-12;
  return right ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
