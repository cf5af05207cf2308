// A one-dimensional blur, and what lies beyond the ends of the array: each boundary condition in turn.
//
//   out[i] = (x[i-1] + x[i] + x[i+1]) / 3
#include <cstdio>
#include <liftgen/lift.hpp>

using namespace lift;

namespace {

Expr blur(Boundary boundary) {
  return fun(array(f32, nat("n")), [=](Expr xs) {
    return xs | pad(1, 1, boundary)                                    // one element more at both ends
           | slide(3, 1)                                               // windows of three
           | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0f; });  // one number each
  });
}

}  // namespace

int main() try {
  const std::vector<float> x{3, 6, 9, 12};
  const struct {
    Boundary boundary;
    const char* meaning;
    std::vector<float> expected;
  } cases[] = {
      {clamp, "the nearest element", {4, 6, 9, 11}},        {wrap, "the other end (periodic)", {7, 6, 9, 8}},
      {mirror, "even reflection (Neumann)", {4, 6, 9, 11}}, {odd, "odd reflection (Dirichlet)", {2, 6, 9, 3}},
      {reflect, "about the last element", {5, 6, 9, 10}},   {constant, "a value, here 0", {3, 6, 9, 7}},
  };
  bool right = true;
  for (const auto& c : cases) {
    const auto kernel = compile<std::vector<float>(std::span<const float>)>(blur(c.boundary));
    const std::vector<float> y = kernel(x);
    std::printf("%-9s %-27s", text(c.boundary), c.meaning);
    for (const float v : y) std::printf(" %g", static_cast<double>(v));
    std::printf("\n");
    right &= y == c.expected;
  }

  // Without a pad there are two windows less than elements, and the types say so.
  const Expr inside = fun(array(f32, nat("n")), [](Expr xs) {
    return xs | slide(3, 1) | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0f; });
  });
  std::printf("without   a pad                       %s\n", inside.type().str().c_str());
  return right ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
