// A pattern of one's own: the 2D 9-point binomial smoothing of an image, its border continued by the nearest
// pixel.
//
//   out[j][i] = sum over dj, di in {-1, 0, 1} of  w[dj] w[di] in[clamp(j + dj)][clamp(i + di)],   w = {1/4,
//   1/2, 1/4}
#include <algorithm>
#include <cmath>

#include "run_example.hpp"

using namespace lift;

namespace {

constexpr double weights[] = {0.25, 0.5, 0.25};

Program build(const Problem& p) {
  const Nat n = p.box;
  const Expr image = param("image", array({n, n}, f64));
  const auto pixel = [](Expr window) {
    Expr sum;
    for (int dj = 0; dj < 3; ++dj)
      for (int di = 0; di < 3; ++di) {
        const Expr term = weights[dj] * weights[di] * window[dj][di];
        sum = sum ? sum + term : term;
      }
    return sum;
  };
  return {"stencil_2d9", {image}, image | pad2(1, 1, clamp) | slide2(3, 1) | map2(pixel), {}};
}

void fill(const Problem& p, const HostArray& a) {
  auto* x = static_cast<double*>(a.data);
  host::parallel_for(p.box, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j)
      for (std::int64_t i = 0; i < p.box; ++i)
        x[j * p.box + i] = std::sin(0.1 * static_cast<double>(i)) + std::cos(0.07 * static_cast<double>(j));
  });
}

void reference(const Problem& p, const std::vector<HostArray>& arguments,
               const std::vector<HostArray>& results) {
  const std::int64_t n = p.box;
  const auto* in = static_cast<const double*>(host::argument(arguments, "image").data);
  auto* out = static_cast<double*>(results.at(0).data);
  const auto inside = [&](std::int64_t x) { return std::clamp<std::int64_t>(x, 0, n - 1); };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di)
          sum += weights[dj + 1] * weights[di + 1] * in[inside(j + dj) * n + inside(i + di)];
      out[j * n + i] = sum;
    }
}

/// What a C programmer writes: the border is clamped by hand, once a row and in the first and last column.
std::string plain_c(const Problem& p) {
  return "#define N " + std::to_string(p.box) + R"(
#ifndef SIMD
#define SIMD
#endif
void plain(const double (*restrict in)[N], double (*restrict out)[N]) {
#define PIXEL(w, i, e) out[j][i] = 0.0625 * (in[s][w] + in[s][e] + in[t][w] + in[t][e]) \
                                 + 0.125 * (in[s][i] + in[t][i] + in[j][w] + in[j][e]) + 0.25 * in[j][i]
#pragma omp parallel for schedule(static)
  for (int j = 0; j < N; ++j) {
    const int s = j > 0 ? j - 1 : 0, t = j < N - 1 ? j + 1 : N - 1;
    PIXEL(0, 0, 1);
    SIMD
    for (int i = 1; i < N - 1; ++i) PIXEL(i - 1, i, i + 1);
    PIXEL(N - 2, N - 1, N - 1);
  }
}
)";
}

}  // namespace

int main(int argc, char** argv) {
  const Pattern pattern{.name = "stencil_2d9",
                        .summary = "2D 9-point binomial smoothing, clamped",
                        .choices = {},
                        .build = build,
                        .fill = fill,
                        .reference = reference,
                        .plain_c = plain_c,
                        .plain_in_place = false};
  return example::run(pattern, 200, 4096, argc, argv);
}
