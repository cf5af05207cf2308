// Operators that share arrays, in the layout that suits them together: red-black sweeps and a residual of the
// 2D Poisson equation u'' = f, on arrays that are converted once.
//
// With --full at the size and for the time that one would take in earnest.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <liftgen/lift.hpp>

using namespace lift;
using namespace std::chrono_literals;

namespace {

const Nat n = nat("n");
const Expr u = param("u", array({n + 2, n + 2}, f64));  // with the border
const Expr f = param("f", array({n + 2, n + 2}, f64)), r = param("r", array({n + 2, n + 2}, f64));
const Expr h2 = param("h2", f64);  // grid spacing, squared

Expr neighbours(Expr w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1]; }

/// The cells of one colour solve their equation.
Program half_sweep() {
  const Expr color = index_param("color", 0, 1);
  const auto cell = [=](Expr p, Expr w, Expr f) {
    return select(eq((get(0, p) + get(1, p) + color) % 2, 0), 0.25 * (neighbours(w) - h2 * f), w[1][1]);
  };
  const Expr inside = zip_n(2, {positions({n, n}), u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell);
  return {"half_sweep", {u, f, h2, color}, update(u, {1, 1}, inside), {"u"}};
}
/// r = f - (sum of the neighbours - 4 u) / h^2 inside.
Program residual() {
  const auto cell = [=](Expr w, Expr f) { return f - (neighbours(w) - 4.0 * w[1][1]) / h2; };
  return {"residual",
          {u, f, h2, r},
          update(r, {1, 1}, zip_n(2, {u | slide2(3, 1), f | drop2(1, 1)}) | map2(cell)),
          {"r"}};
}

}  // namespace

int main(int argc, char** argv) try {
  const bool full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
  const std::int64_t cells = full ? 4094 : 62, length = cells + 2;
  ExpressionOptions options{.sizes = {{"n", cells}}, .budget = 60s};
  options.more.configurations = full ? 0 : 2;
  options.more.rivals = false;
  // Ten half-sweeps to each residual.
  const TunedTogether tuned = explore_together({half_sweep(), residual()}, options, {10, 1});
  for (const LayoutCost& c : tuned.costs)
    std::printf("%-10s %8.3f ms a round%s\n", str(c.layout).c_str(), c.ms,
                c.layout == tuned.layout ? "  <- taken" : "");

  // Arrays in that layout: elements are where the layout has them, and found by their position.
  using Grid = stored_array<double, 2>;
  const auto smooth = tuned.operators[0].kernel<void(Grid&, const Grid&, double, std::int32_t)>();
  const auto rest = tuned.operators[1].kernel<void(const Grid&, const Grid&, double, Grid&)>();
  const std::vector<double> ones(static_cast<std::size_t>(length * length), 1.0);
  const double h = 1.0 / static_cast<double>(cells + 1);
  Grid x(tuned.layout, {length, length}), y(tuned.layout, {length, length});
  const Grid rhs(tuned.layout, array_view(ones.data(), {length, length}));
  rest(x, rhs, h * h, y);
  const double before = y(length / 2, length / 2);
  for (int sweep = 0; sweep < (full ? 5 : 3000); ++sweep)
    for (const int color : {0, 1}) smooth(x, rhs, h * h, color);
  rest(x, rhs, h * h, y);

  std::vector<double> result(ones.size());
  x.copy_to(array_view(result.data(), {length, length}));
  const double middle = result[static_cast<std::size_t>((length / 2) * length + length / 2)];
  std::printf("residual in the middle %.3g, then %.3g; u there %.4f\n", before, y(length / 2, length / 2),
              middle);
  const bool solved =
      full || (std::abs(y(length / 2, length / 2)) < 0.02 && std::abs(middle + 0.0737) < 0.002);
  return solved ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
