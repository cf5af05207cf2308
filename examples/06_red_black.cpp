// In place, and several results: red-black Gauss-Seidel for the 2D Poisson equation u'' = f with given values
// on the border, and its residual as an array together with its norm.
#include <cmath>
#include <cstdio>
#include <liftgen/lift.hpp>

using namespace lift;

namespace {

const Nat n = nat("n");
const Expr u = param("u", array({n + 2, n + 2}, f64));  // with the border
const Expr f = param("f", array({n, n}, f64));
const Expr h2 = param("h2", f64);  // grid spacing, squared

Expr neighbours(Expr w) { return w[0][1] + w[1][0] + w[1][2] + w[2][1]; }

/// The cells of one colour become the value that solves their equation. They read the other colour only, and
/// liftgen proves it: that is why the update may be in place and its loops parallel.
Program half_sweep() {
  const Expr color = index_param("color", 0, 1);
  const auto cell = [=](Expr position, Expr window, Expr f) {
    const Expr of_this_color = eq((get(0, position) + get(1, position) + color) % 2, 0);
    return select(of_this_color, 0.25 * (neighbours(window) - h2 * f), window[1][1]);
  };
  const Expr inside = zip_n(2, {positions({n, n}), u | slide2(3, 1), f}) | map2(cell);
  return {"half_sweep", {u, f, h2, color}, update(u, {1, 1}, inside)};
}

/// r = f - (sum of the neighbours - 4 u) / h^2, and the sum of its squares.
Program residual() {
  const auto cell = [=](Expr w, Expr f) { return f - (neighbours(w) - 4.0 * w[1][1]) / h2; };
  const Expr r = zip_n(2, {u | slide2(3, 1), f}) | map2(cell);
  const Expr squares = r | map([](Expr row) { return row | map([](Expr x) { return x * x; }) | sum(); });
  return {"residual", {u, f, h2}, tuple({r, squares | sum()})};
}

}  // namespace

int main() try {
  constexpr std::int64_t cells = 15;
  const double h = 1.0 / 16;
  // An update of a writable argument overwrites it; a kernel that returns several results returns a tuple.
  using HalfSweep = void(array_view<double, 2> u, std::span<const double> f, double h2, std::int32_t color);
  using Residual = std::tuple<std::vector<double>, double>(array_view<const double, 2> u,
                                                           std::span<const double> f, double h2);
  const auto smooth = compile<HalfSweep>(half_sweep());
  const auto rest = compile<Residual>(residual());

  std::vector<double> values((cells + 2) * (cells + 2), 0.0), rhs(cells * cells, 1.0);
  const array_view solution(values.data(), {cells + 2, cells + 2});
  const double before = std::sqrt(std::get<1>(rest(solution, rhs, h * h)));
  for (int sweep = 0; sweep < 150; ++sweep)
    for (const int color : {0, 1}) smooth(solution, rhs, h * h, color);
  const auto [r, squares] = rest(solution, rhs, h * h);
  std::printf("residual %.3g, after 150 sweeps %.3g; u in the middle %.6f\n", before, std::sqrt(squares),
              solution(8, 8));
  const bool in_place = smooth.source({{"n", cells}}).find("*restrict out") == std::string::npos;
  std::printf("in place: %s\n", in_place ? "yes" : "no");
  const bool solved = std::sqrt(squares) < 0.05 * before && std::abs(solution(8, 8) + 0.0737) < 0.003;
  return in_place && solved && r.size() == cells * cells ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
