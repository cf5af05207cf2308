// A first kernel: y[i] = a * x[i] + 1 as an expression, compiled, called, and its C text.
#include <cstdio>
#include <liftgen/lift.hpp>

int main() try {
  // A size: known when the kernel is called. The expression is checked as it is built.
  const auto n = lift::nat("n");
  const auto scaled = lift::fun(
      {lift::Type(lift::f64), lift::array(lift::f64, n)},
      [](lift::Expr a, lift::Expr xs) { return xs | lift::map([=](lift::Expr x) { return a * x + 1.0; }); });
  std::printf("%s\n\n", lift::pretty(scaled).c_str());

  // The signature is checked against the expression here; the C compiler runs at the first call with a new
  // size.
  using Scaled = std::vector<double>(double, const std::vector<double>&);
  const auto kernel = lift::compile<Scaled>(scaled, {.name = "scaled", .names = {"a", "x"}});
  const std::vector<double> y = kernel(2, {1, 2, 3, 4, 5});
  for (const double v : y) std::printf("%g ", v);
  std::printf("\n\n%s", kernel.source({{"n", 5}}).c_str());
  return y == std::vector<double>{3, 5, 7, 9, 11} ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
