// A pattern of one's own: the fourth-order Laplacian, a 13-point star of radius 2, with even reflection at
// all faces.
//
//   out = sum over the three axes of (-u[-2] + 16 u[-1] - 30 u[0] + 16 u[1] - u[2]) / 12
#include <cmath>

#include "run_example.hpp"

using namespace lift;

namespace {

Program build(const Problem& p) {
  const Nat n = p.box;
  const Expr u = param("u", array({n, n, n}, f64));
  const auto laplacian = [](Expr w) {
    const Expr far = w[2][2][0] + w[2][2][4] + w[2][0][2] + w[2][4][2] + w[0][2][2] + w[4][2][2];
    const Expr near = w[2][2][1] + w[2][2][3] + w[2][1][2] + w[2][3][2] + w[1][2][2] + w[3][2][2];
    return (16.0 * near - far - 90.0 * w[2][2][2]) * (1.0 / 12.0);
  };
  return {"star_3d13", {u}, u | pad3(2, 2, mirror) | slide3(5, 1) | map3(laplacian), {}};
}

void fill(const Problem& p, const HostArray& a) {
  auto* x = static_cast<double*>(a.data);
  const std::int64_t n = p.box;
  host::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          x[(k * n + j) * n + i] = std::sin(0.2 * static_cast<double>(i) + 0.3 * static_cast<double>(j) -
                                            0.1 * static_cast<double>(k));
  });
}

void reference(const Problem& p, const std::vector<HostArray>& arguments,
               const std::vector<HostArray>& results) {
  const std::int64_t n = p.box;
  const auto* in = static_cast<const double*>(host::argument(arguments, "u").data);
  auto* out = static_cast<double*>(results.at(0).data);
  const auto reflect = [&](std::int64_t x) { return x < 0 ? -1 - x : x >= n ? 2 * n - 1 - x : x; };
  const auto u = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    return in[(reflect(k) * n + reflect(j)) * n + reflect(i)];
  };
  constexpr double weights[] = {-1, 16, -30, 16, -1};
  host::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
          double sum = 0;
          for (int d = -2; d <= 2; ++d)
            sum += weights[d + 2] * (u(k + d, j, i) + u(k, j + d, i) + u(k, j, i + d));
          out[(k * n + j) * n + i] = sum / 12;
        }
  });
}

/// What a C programmer writes: the reflected planes and rows are chosen outside the inner loop, its ends are
/// peeled.
std::string plain_c(const Problem& p) {
  return "#define N " + std::to_string(p.box) + R"(
#ifndef SIMD
#define SIMD
#endif
#define REFLECT(x) ((x) < 0 ? -1 - (x) : (x) >= N ? 2 * N - 1 - (x) : (x))
void plain(const double (*restrict u)[N][N], double (*restrict out)[N][N]) {
#define CELL(ww, w, i, e, ee) out[k][j][i] = (16 * (u[k][j][w] + u[k][j][e] + u[k][s][i] + u[k][n][i] + u[d][j][i] + u[t][j][i]) \
    - (u[k][j][ww] + u[k][j][ee] + u[k][ss][i] + u[k][nn][i] + u[dd][j][i] + u[tt][j][i]) - 90 * u[k][j][i]) * (1.0 / 12)
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < N; ++k)
    for (int j = 0; j < N; ++j) {
      const int dd = REFLECT(k - 2), d = REFLECT(k - 1), t = REFLECT(k + 1), tt = REFLECT(k + 2);
      const int ss = REFLECT(j - 2), s = REFLECT(j - 1), n = REFLECT(j + 1), nn = REFLECT(j + 2);
      for (int i = 0; i < 2; ++i) CELL(REFLECT(i - 2), REFLECT(i - 1), i, i + 1, i + 2);
      SIMD
      for (int i = 2; i < N - 2; ++i) CELL(i - 2, i - 1, i, i + 1, i + 2);
      for (int i = N - 2; i < N; ++i) CELL(i - 2, i - 1, i, REFLECT(i + 1), REFLECT(i + 2));
    }
}
)";
}

}  // namespace

int main(int argc, char** argv) {
  const Pattern pattern{.name = "star_3d13",
                        .summary = "3D fourth-order Laplacian, 13 points, even reflection",
                        .choices = {},
                        .build = build,
                        .fill = fill,
                        .reference = reference,
                        .plain_c = plain_c,
                        .plain_in_place = false};
  return example::run(pattern, 40, 320, argc, argv);
}
