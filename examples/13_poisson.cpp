// A multigrid solver from an operator: Poisson's equation with a known solution, on faces of every kind, at
// three sizes; and an operator of one's own, with 27 points. Errors fall by four where spacings fall by two.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <liftgen/solve.hpp>

namespace gmg = lift::gmg;

namespace {

/// A box of n x n x 3/2 n cells whose faces are all of a kind, or of one each.
gmg::Domain box(std::int64_t n, gmg::Condition::Kind kind, bool mixed) {
  gmg::Domain d({n, n, n + n / 2}, {.spacing = 1.0 / static_cast<double>(n)});
  const auto condition = [&](gmg::Condition::Kind of) {
    return of == gmg::Condition::Kind::dirichlet ? gmg::dirichlet()
           : of == gmg::Condition::Kind::neumann ? gmg::neumann()
                                                 : gmg::robin(1, 0.5);
  };
  for (const gmg::Axis axis : {gmg::i, gmg::j, gmg::k}) {
    if (kind == gmg::Condition::Kind::periodic && !mixed) d.periodic(axis);
    if (kind != gmg::Condition::Kind::periodic)
      for (const bool high : {false, true}) d.face({axis, high}) = condition(kind);
  }
  if (mixed) {
    d.periodic(gmg::i);
    d.face(gmg::j_low) = gmg::dirichlet(), d.face(gmg::j_high) = gmg::neumann();
    d.face(gmg::k_low) = gmg::robin(1, 0.5), d.face(gmg::k_high) = gmg::neumann();
  }
  return d;
}

/// The largest error of -div(beta grad u) = f.
double error(std::int64_t n, gmg::Condition::Kind kind, bool mixed) {
  gmg::Domain d = box(n, kind, mixed);
  const gmg::Manufactured known = gmg::manufactured(d, 0, true);  // gives the faces their values
  gmg::Solver solver(gmg::helmholtz(d));
  for (const char* beta : {"beta_k", "beta_j", "beta_i"})
    solver.set(beta, gmg::Solver::Sampler(
                         [&](std::span<const double> x) { return gmg::manufactured_beta(d, true, x[2]); }));
  std::vector<double> u(known.f.size(), 0);
  const gmg::Report r = solver.solve(known.f, u, {.relative = 1e-10});
  if (!r.converged()) throw lift::UserError(r.text());
  const bool constants = solver.hierarchy().singular();  // u is known but for a constant
  double most = 0, shift = constants ? gmg::mean(known.u) : 0;
  for (std::size_t x = 0; x < u.size(); ++x) most = std::max(most, std::abs(u[x] + shift - known.u[x]));
  return most;
}

/// The isotropic Laplacian of all 27 cells about one: weights 128, -14, -3, -1 by the coordinates that
/// differ.
gmg::Equation isotropic(const gmg::Domain& d) {
  return gmg::equation(d, [](const gmg::Point& at) {
    const double weights[] = {128, -14, -3, -1};
    lift::Expr sum;
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const lift::Expr term = weights[std::abs(z) + std::abs(y) + std::abs(x)] * at.u({z, y, x});
          sum = sum ? sum + term : term;
        }
    return at.per_spacing(gmg::i) * at.per_spacing(gmg::i) / 30.0 * sum;
  });
}

}  // namespace

int main() try {
  using Kind = gmg::Condition::Kind;
  bool second_order = true;
  const std::pair<const char*, Kind> kinds[] = {{"dirichlet", Kind::dirichlet},
                                                {"neumann", Kind::neumann},
                                                {"robin", Kind::robin},
                                                {"periodic", Kind::periodic}};
  const auto show = [&](const char* name, Kind kind, bool mixed) {
    const double coarse = error(8, kind, mixed), fine = error(16, kind, mixed);
    std::printf("%-10s error %.2e at 8 x 8 x 12 cells, %.2e at 16 x 16 x 24: order %.2f\n", name, coarse,
                fine, std::log2(coarse / fine));
    second_order = second_order && std::log2(coarse / fine) > 1.8;
  };
  for (const auto& [name, kind] : kinds) show(name, kind, false);
  show("mixed", Kind::periodic, true);

  gmg::Domain d({16, 16, 16});
  gmg::Solver solver(isotropic(d));
  std::vector<double> f(static_cast<std::size_t>(d.count()), 1), u(f.size(), 0);
  const gmg::Report r = solver.solve(f, u);
  std::printf("27 points, %s: %s", str(*solver.hierarchy().level(0).colours()).c_str(), r.text().c_str());
  return second_order && r.converged() ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "13_poisson: %s\n", e.what()), 1;
}
