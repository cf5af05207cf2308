// What a program outside this repository does: it includes the public header, compiles an expression and
// calls it.
#include <cstdio>
#include <liftgen/lift.hpp>

int main() {
  const auto n = lift::nat("n");
  const auto blur = lift::fun(lift::array(lift::f32, n), [](lift::Expr xs) {
    return xs | lift::pad(1, 1, lift::clamp) | lift::slide(3, 1) |
           lift::map([](lift::Expr w) { return (w[0] + w[1] + w[2]) / 3.0f; });
  });
  try {
    const auto kernel = lift::compile<std::vector<float>(const std::vector<float>&)>(blur);
    const std::vector<float> smoothed = kernel({0, 3, 6, 3, 0});
    for (const float x : smoothed) std::printf("%g ", static_cast<double>(x));
    std::printf("\n");
    return smoothed == std::vector<float>{1, 3, 4, 3, 1} ? 0 : 1;
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
