// Implicit vertical advection of a velocity, as in the dynamical core of COSMO (Crank-Nicolson: half of the
// flux at the old time, half at the new): coefficients from averaged vertical velocities, then a tridiagonal
// system a column.
#include "patterns/box_fill.hpp"
#include "patterns/columns.hpp"
#include "patterns/operators.hpp"

namespace lift {
namespace patterns::vertical_advection {
namespace {

/// What a level sees: the four velocities about it, u one level up and down, and the terms of the right side.
struct Level {
  Expr w, u, u_pos, utens, utens_stage;
  explicit Level(const Expr& x)
      : w(get(0, x)), u(get(1, x)), u_pos(get(2, x)), utens(get(3, x)), utens_stage(get(4, x)) {}
  /// A quarter of the sum of the velocities at the lower (0) or upper (1) interface, west and east of the
  /// point.
  Expr velocity(int interface) const { return 0.25 * (at({interface, 0, 0}, w) + at({interface, 0, 1}, w)); }
};

Program build(const BoxProblem& p) {
  const Expr wcon = param("wcon", column_array(p, {1, 0, 1})), dtr = param("dtr_stage", p.type);
  std::vector<Expr> arrays{wcon};
  for (const char* name : {"u_stage", "u_pos", "utens", "utens_stage"})
    arrays.push_back(param(name, column_array(p)));

  const auto row = [&](const Expr& x) {
    const Level level(x);
    const Expr half_a = -0.5 * level.velocity(0),
               half_c = 0.5 * level.velocity(1);  // the coefficients, and those of the old flux
    const Expr u = at({1, 0, 0}, level.u);
    const Expr old_flux = half_a * (at({0, 0, 0}, level.u) - u) + half_c * (at({2, 0, 0}, level.u) - u);
    const Expr d = dtr * level.u_pos + level.utens + level.utens_stage - old_flux;
    return TridiagonalRow{half_a, dtr - half_a - half_c, half_c, d};
  };
  const auto column = [&](const Expr& levels) {
    return solve_column(levels, p.type, row, [&](const Expr& u_new) {
      return zip({u_new, levels}) | map([&](Expr t) { return dtr * (get(0, t) - Level(get(1, t)).u_pos); });
    });
  };
  const Expr body =
      zip(arrays) | map([&](Expr box) {
        return for_columns({slide({2, 1, 2}, {1, 1, 1}, get(0, box)), level_windows(get(1, box), 1, 1),
                            get(2, box), get(3, box), get(4, box)},
                           column);
      });
  std::vector<Expr> arguments = arrays;
  arguments.push_back(dtr);
  return {.name = "vertical_advection",
          .arguments = arguments,
          .body = body,
          .overwritable = {},
          .results = {"utens_new"}};
}

void fill(const Problem& p, const HostArray& a) {
  if (a.name == "dtr_stage")
    return host::with_float(p.type, [&]<class T>(T) { *static_cast<T*>(a.data) = static_cast<T>(3.0); });
  static const auto& waves =
      *new std::map<std::string, Wave>{{"wcon", {0, 1, 1, {0.05, 0.13, 0.29}}},
                                       {"u_stage", {0.5, 1, 1, {0.19, 0.37, 0.41}}},
                                       {"u_pos", {0.5, 1, 2, {0.43, 0.29, 0.37}}},
                                       {"utens", {0, 0.5, 1, {0.31, 0.23, 0.17}}},
                                       {"utens_stage", {0, 0.5, 2, {0.11, 0.07, 0.03}}}};
  fill_wave(p, 0, a, waves.at(a.name));
  if (a.name != "wcon") return;
  host::with_float(p.type, [&]<class T>(T) {  // nothing flows through the ground and the lid
    const host::Levels<T> w(a);
    for (std::int64_t box = 0; box < p.boxes; ++box)
      for (std::int64_t j = 0; j < cells_along(p, 1); ++j)
        for (std::int64_t i = 0; i <= cells_along(p, 2); ++i)
          w(box, 0, j, i) = w(box, cells_along(p, 0), j, i) = 0;
  });
}

template <class T>
void reference(const BoxProblem& p, const std::vector<HostArray>& arguments, const HostArray& result) {
  const host::Levels<const T> wcon(host::argument(arguments, "wcon")),
      u_stage(host::argument(arguments, "u_stage")), u_pos(host::argument(arguments, "u_pos")),
      utens(host::argument(arguments, "utens")), utens_stage(host::argument(arguments, "utens_stage"));
  const host::Levels<T> out(result);
  const auto dtr = static_cast<T>(host::scalar(arguments, "dtr_stage"));
  const T beta = static_cast<T>(0.5), quarter = static_cast<T>(0.25);
  const std::int64_t n = cells_along(p, 0);
  host::for_columns(p, [&](std::int64_t box, std::int64_t j, std::int64_t i) {
    std::vector<T> ccol(static_cast<std::size_t>(n)), dcol(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k) {
      const T gav = -quarter * (wcon(box, k, j, i + 1) + wcon(box, k, j, i)),
              gcv = quarter * (wcon(box, k + 1, j, i + 1) + wcon(box, k + 1, j, i));
      const T u = u_stage(box, k, j, i);
      T correction = 0;
      if (k > 0) correction -= gav * beta * (u_stage(box, k - 1, j, i) - u);
      if (k < n - 1) correction -= gcv * beta * (u_stage(box, k + 1, j, i) - u);
      const auto at = static_cast<std::size_t>(k);
      T b = dtr - gav * beta - gcv * beta;
      T d = dtr * u_pos(box, k, j, i) + utens(box, k, j, i) + utens_stage(box, k, j, i) + correction;
      if (k > 0) b -= ccol[at - 1] * gav * beta, d -= dcol[at - 1] * gav * beta;
      ccol[at] = gcv * beta / b, dcol[at] = d / b;
    }
    T x = 0;
    for (std::int64_t k = n - 1; k >= 0; --k) {
      const auto at = static_cast<std::size_t>(k);
      x = k == n - 1 ? dcol[at] : dcol[at] - ccol[at] * x;
      out(box, k, j, i) = dtr * (x - u_pos(box, k, j, i));
    }
  });
}

std::string plain(const BoxProblem& p) {
  return column_header(p) +
         "void plain(const real (*restrict wcon)[NK + 1][NJ][NI + 1], const real (*restrict "
         "u_stage)[NK][NJ][NI], "
         "const real (*restrict u_pos)[NK][NJ][NI],\n"
         "           const real (*restrict utens)[NK][NJ][NI], const real (*restrict "
         "utens_stage)[NK][NJ][NI], "
         "real dtr, real (*restrict out)[NK][NJ][NI]) {\n"
         "#pragma omp parallel for collapse(2) schedule(static)\n"
         "  for (int box = 0; box < BOXES; ++box)\n"
         "    for (int j = 0; j < NJ; ++j) {\n"
         "      real cp[NK + 1][NI], dp[NK + 1][NI], x[NI];\n"
         "      SIMD\n"
         "      for (int i = 0; i < NI; ++i)\n"
         "        cp[0][i] = dp[0][i] = x[i] = 0;\n"
         "      for (int k = 0; k < NK; ++k) {\n"
         "        int km = k > 0 ? k - 1 : k, kp = k < NK - 1 ? k + 1 : k;\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i) {\n"
         "          real a = (real)-0.125 * (wcon[box][k][j][i + 1] + wcon[box][k][j][i]);\n"
         "          real c = (real)0.125 * (wcon[box][k + 1][j][i + 1] + wcon[box][k + 1][j][i]);\n"
         "          real u = u_stage[box][k][j][i];\n"
         "          real d = dtr * u_pos[box][k][j][i] + utens[box][k][j][i] + utens_stage[box][k][j][i]\n"
         "                 - a * (u_stage[box][km][j][i] - u) - c * (u_stage[box][kp][j][i] - u);\n"
         "          real pivot = 1 / (dtr - a - c - a * cp[k][i]);\n"
         "          cp[k + 1][i] = c * pivot;\n"
         "          dp[k + 1][i] = (d - a * dp[k][i]) * pivot;\n"
         "        }\n"
         "      }\n"
         "      for (int k = NK - 1; k >= 0; --k) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i) {\n"
         "          x[i] = dp[k + 1][i] - cp[k + 1][i] * x[i];\n"
         "          out[box][k][j][i] = dtr * (x[i] - u_pos[box][k][j][i]);\n"
         "        }\n"
         "      }\n"
         "    }\n"
         "}\n";
}

}  // namespace
}  // namespace patterns::vertical_advection

Pattern vertical_advection() {
  using namespace patterns::vertical_advection;
  return column_pattern(
      "vertical_advection",
      "implicit vertical advection: coefficients from averaged velocities, a tridiagonal system a column",
      "w[k] = (wcon[k][i] + wcon[k][i+1]) / 4   at the interface below level k; zero at the ground and the "
      "lid\n"
      "a = -w[k]/2, c = w[k+1]/2, b = dtr_stage - a - c,\n"
      "d = dtr_stage*u_pos + utens + utens_stage - a*(u_stage[k-1] - u_stage) - c*(u_stage[k+1] - u_stage)\n"
      "utens_new = dtr_stage*(u_new - u_pos)   where u_new solves the system of a, b, c, d of its column",
      build, fill, reference<float>, reference<double>, plain);
}

}  // namespace lift
