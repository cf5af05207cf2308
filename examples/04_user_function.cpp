// A pattern of one's own with a number as argument and an opaque C function (a user_fun): a relaxed 5-point
// average on a ring.
//
//   out[i] = x[i] + w * (average5(x[i-2], ..., x[i+2]) - x[i]),   indices modulo n
#include <cmath>

#include "run_example.hpp"

using namespace lift;

namespace {

/// The function's C text, and what it means to the interpreter.
const UserFun& average5() {
  static const UserFun f("average5", {{"a", f64}, {"b", f64}, {"c", f64}, {"d", f64}, {"e", f64}}, f64,
                         "return (a + 4 * b + 6 * c + 4 * d + e) / 16;", [](std::span<const double> x) {
                           return (x[0] + 4 * x[1] + 6 * x[2] + 4 * x[3] + x[4]) / 16;
                         });
  return f;
}

Program build(const Problem& p) {
  const Expr x = param("x", array({Nat(p.box)}, f64)), weight = param("w", f64);
  const auto relaxed = [=](Expr w) {
    return w[2] + weight * (average5()(w[0], w[1], w[2], w[3], w[4]) - w[2]);
  };
  return {"weighted_1d5", {x, weight}, x | pad(2, 2, wrap) | slide(5, 1) | map(relaxed), {}};
}

void fill(const Problem& p, const HostArray& a) {
  auto* x = static_cast<double*>(a.data);
  if (a.name == "w")
    *x = 0.8;
  else
    host::parallel_for(p.box, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) x[i] = 1 + std::sin(0.3 * static_cast<double>(i));
    });
}

void reference(const Problem& p, const std::vector<HostArray>& arguments,
               const std::vector<HostArray>& results) {
  const std::int64_t n = p.box;
  const auto* x = static_cast<const double*>(host::argument(arguments, "x").data);
  auto* out = static_cast<double*>(results.at(0).data);
  const double w = host::scalar(arguments, "w");
  constexpr double weights[] = {1. / 16, 4. / 16, 6. / 16, 4. / 16, 1. / 16};
  for (std::int64_t i = 0; i < n; ++i) {
    double average = 0;
    for (std::int64_t d = 0; d < 5; ++d) average += weights[d] * x[(i + d - 2 + n) % n];
    out[i] = x[i] + w * (average - x[i]);
  }
}

std::string plain_c(const Problem& p) {
  return "#define N " + std::to_string(p.box) + R"(
#ifndef SIMD
#define SIMD
#endif
static double average5(double a, double b, double c, double d, double e) { return (a + 4 * b + 6 * c + 4 * d + e) / 16; }
void plain(const double *restrict x, double w, double *restrict out) {
#define RELAX(a, b, c, d, e) c + w * (average5(a, b, c, d, e) - c)
#define AROUND(i) RELAX(x[((i) + N - 2) % N], x[((i) + N - 1) % N], x[i], x[((i) + 1) % N], x[((i) + 2) % N])
  for (int i = 0; i < 2; ++i) out[i] = AROUND(i);
  for (int i = N - 2; i < N; ++i) out[i] = AROUND(i);
  // blocks, since the innermost loop is to carry SIMD and the outermost the threads
#pragma omp parallel for schedule(static)
  for (int first = 2; first < N - 2; first += 4096) {
    const int last = first + 4096 < N - 2 ? first + 4096 : N - 2;
    SIMD
    for (int i = first; i < last; ++i) out[i] = RELAX(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]);
  }
}
)";
}

}  // namespace

int main(int argc, char** argv) {
  const Pattern pattern{.name = "weighted_1d5",
                        .summary = "1D relaxed average of 5 points on a ring, by a user function",
                        .choices = {},
                        .build = build,
                        .fill = fill,
                        .reference = reference,
                        .plain_c = plain_c,
                        .plain_in_place = false};
  return example::run(pattern, 20000, 1 << 25, argc, argv);
}
