// The Thomas algorithm: a tridiagonal system a column, by elimination from the first level to the last and
// substitution back.
#include "patterns/box_fill.hpp"
#include "patterns/columns.hpp"
#include "patterns/operators.hpp"

namespace lift {
namespace patterns::thomas {
namespace {

Program build(const BoxProblem& p) {
  std::vector<Expr> arrays;
  for (const char* name : {"a", "b", "c", "d"}) arrays.push_back(param(name, column_array(p)));
  const auto row = [](const Expr& x) { return TridiagonalRow{get(0, x), get(1, x), get(2, x), get(3, x)}; };
  const auto column = [&](const Expr& rows) {
    return solve_column(rows, p.type, row, [](const Expr& x) { return x; });
  };
  const Expr body = zip(arrays) | map([&](Expr box) {
                      return for_columns({get(0, box), get(1, box), get(2, box), get(3, box)}, column);
                    });
  return {.name = "thomas", .arguments = arrays, .body = body, .overwritable = {}, .results = {"x"}};
}

void fill(const Problem& p, const HostArray& array) {
  // the diagonal is larger than the sum of the others: no pivot is near 0
  static const auto& waves = *new std::map<std::string, Wave>{{"a", {-1, 0.3, 1, {0.05, 0.13, 0.29}}},
                                                              {"b", {4, 0.5, 2, {0.19, 0.37, 0.41}}},
                                                              {"c", {-1, 0.3, 1, {0.43, 0.29, 0.37}}},
                                                              {"d", {0.5, 1, 2, {0.31, 0.23, 0.17}}}};
  fill_wave(p, 0, array, waves.at(array.name));
}

template <class T>
void reference(const BoxProblem& p, const std::vector<HostArray>& arguments, const HostArray& result) {
  const host::Levels<const T> a(host::argument(arguments, "a")), b(host::argument(arguments, "b")),
      c(host::argument(arguments, "c")), d(host::argument(arguments, "d"));
  const host::Levels<T> x(result);
  const std::int64_t n = cells_along(p, 0);
  host::for_columns(p, [&](std::int64_t box, std::int64_t j, std::int64_t i) {
    std::vector<T> diagonal(static_cast<std::size_t>(n)), rhs(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(k);
      diagonal[at] = b(box, k, j, i), rhs[at] = d(box, k, j, i);
      if (k == 0) continue;
      const T w = a(box, k, j, i) / diagonal[at - 1];
      diagonal[at] -= w * c(box, k - 1, j, i);
      rhs[at] -= w * rhs[at - 1];
    }
    for (std::int64_t k = n - 1; k >= 0; --k) {
      const auto at = static_cast<std::size_t>(k);
      x(box, k, j, i) =
          (k == n - 1 ? rhs[at] : rhs[at] - c(box, k, j, i) * x(box, k + 1, j, i)) / diagonal[at];
    }
  });
}

/// Levels outside rows, so that the inner loop goes along i; d' waits in x.
std::string plain(const BoxProblem& p) {
  return column_header(p) +
         "void plain(const real (*restrict a)[NK][NJ][NI], const real (*restrict b)[NK][NJ][NI], const real "
         "(*restrict c)[NK][NJ][NI],\n"
         "           const real (*restrict d)[NK][NJ][NI], real (*restrict x)[NK][NJ][NI]) {\n"
         "#pragma omp parallel for collapse(2) schedule(static)\n"
         "  for (int box = 0; box < BOXES; ++box)\n"
         "    for (int j = 0; j < NJ; ++j) {\n"
         "      real cp[NK][NI];\n"
         "      SIMD\n"
         "      for (int i = 0; i < NI; ++i) {\n"
         "        real pivot = 1 / b[box][0][j][i];\n"
         "        cp[0][i] = c[box][0][j][i] * pivot;\n"
         "        x[box][0][j][i] = d[box][0][j][i] * pivot;\n"
         "      }\n"
         "      for (int k = 1; k < NK; ++k) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i) {\n"
         "          real pivot = 1 / (b[box][k][j][i] - a[box][k][j][i] * cp[k - 1][i]);\n"
         "          cp[k][i] = c[box][k][j][i] * pivot;\n"
         "          x[box][k][j][i] = (d[box][k][j][i] - a[box][k][j][i] * x[box][k - 1][j][i]) * pivot;\n"
         "        }\n"
         "      }\n"
         "      for (int k = NK - 2; k >= 0; --k) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i)\n"
         "          x[box][k][j][i] -= cp[k][i] * x[box][k + 1][j][i];\n"
         "      }\n"
         "    }\n"
         "}\n";
}

}  // namespace
}  // namespace patterns::thomas

Pattern thomas() {
  using namespace patterns::thomas;
  return column_pattern(
      "thomas", "tridiagonal systems, one a column: elimination down, substitution up",
      "a[k] x[k-1] + b[k] x[k] + c[k] x[k+1] = d[k]   for each box, j, i; a[0] and c[n-1] count as 0", build,
      fill, reference<float>, reference<double>, plain);
}

}  // namespace lift
