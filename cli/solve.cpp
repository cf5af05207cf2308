// liftgen solve: a problem with a known solution, solved by multigrid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "gmg/fourier.hpp"
#include "gmg/manufactured.hpp"
#include "gmg/solver.hpp"
#include "ir/error.hpp"
#include "runtime/parallel.hpp"

namespace lift::cli {
namespace {

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, between);) parts.push_back(part);
  return parts;
}

std::vector<std::int64_t> cells_of(const std::string& size) {
  std::vector<std::int64_t> cells;
  for (const std::string& part : parts_of(size, ',')) {
    if (part.empty() || part.size() > 9 || part.find_first_not_of("0123456789") != std::string::npos)
      throw UserError("--size " + size + ": write one to three whole numbers, as in --size 96,200,256");
    cells.push_back(std::stoll(part));
  }
  if (cells.size() == 1 && size.find(',') == std::string::npos) cells.assign(3, cells[0]);
  if (cells.empty() || cells.size() > 3)
    throw UserError("--size " + size + ": write one to three whole numbers, as in --size 96,200,256");
  return cells;
}

gmg::Condition condition_of(const std::string& name, const std::string& all) {
  if (name == "dirichlet") return gmg::dirichlet();
  if (name == "neumann") return gmg::neumann();
  if (name == "robin") return gmg::robin(1, 1);
  throw UserError(
      "--bc " + all + ": no such condition '" + name +
      "'; use dirichlet, neumann, robin or periodic (both faces of an axis), with LOW:HIGH for two of an "
      "axis");
}

gmg::Domain domain_of(const SolveOptions& o) {
  gmg::Domain domain(cells_of(o.size));
  std::vector<std::string> axes = parts_of(o.faces, ',');
  if (axes.size() == 1) axes.assign(domain.dimensions(), axes[0]);
  if (axes.size() != domain.dimensions())
    throw UserError("--bc " + o.faces + ": " + std::to_string(axes.size()) + " axes, but --size has " +
                    std::to_string(domain.dimensions()) + "; give one for all, or one for each");
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const auto axis = static_cast<gmg::Axis>(axes.size() - 1 - d);
    if (axes[d] == "periodic") {
      domain.periodic(axis);
      continue;
    }
    const std::vector<std::string> faces = parts_of(axes[d], ':');
    if (faces.empty() || faces.size() > 2)
      throw UserError("--bc " + o.faces + ": an axis has two faces, LOW:HIGH");
    domain.face({axis, false}) = condition_of(faces.front(), o.faces);
    domain.face({axis, true}) = condition_of(faces.back(), o.faces);
  }
  return domain;
}

/// The value of that name, by its text.
template <class E>
E named(const std::string& option, const std::string& name, std::initializer_list<E> all) {
  std::string names;
  for (const E e : all) {
    if (name == gmg::text(e)) return e;
    names += (names.empty() ? "" : ", ") + std::string(gmg::text(e));
  }
  throw UserError(option + " " + name + ": use one of " + names);
}

gmg::Plan plan_of(const SolveOptions& o) {
  using gmg::Bottom, gmg::CycleKind, gmg::Smoother;
  gmg::Plan plan;
  plan.cycle = named("--cycle", o.cycle, {CycleKind::V, CycleKind::W, CycleKind::F});
  plan.smoother = named("--smoother", o.smoother,
                        {Smoother::automatic, Smoother::gauss_seidel, Smoother::jacobi, Smoother::chebyshev});
  plan.bottom = named("--bottom", o.bottom,
                      {Bottom::automatic, Bottom::dense, Bottom::sweeps, Bottom::conjugate_gradients});
  plan.down = o.down, plan.up = o.up, plan.weight = o.weight, plan.full_start = o.full_start;
  plan.mixed = o.mixed, plan.tuned = o.tuned;
  return plan;
}

/// The two-grid factor that A lets expect, where there is one; "" otherwise.
std::string predicted(const gmg::Equation& equation, const gmg::Plan& plan) {
  try {
    const gmg::FourierFactors f = gmg::fourier_factors(equation, plan, {}, 8);
    return fmt::format(
        "Fourier analysis (constant coefficients, two grids, no faces): smoothing {:.3f} a sweep, "
        "factor {:.3f} a cycle",
        f.smoothing, f.two_grid);
  } catch (const UserError&) {  // not for this smoother
    return "";
  }
}

}  // namespace

int solve(const Options& options) {
  const SolveOptions& o = options.solve;
  if (o.problem != "poisson" && o.problem != "helmholtz")
    throw UserError("solve " + o.problem + ": no such problem; there are poisson and helmholtz");
  const double a = o.problem == "helmholtz" ? o.a : 0;
  gmg::Domain domain = domain_of(o);
  const gmg::Plan plan = plan_of(o);
  const gmg::Norm norm = named("--norm", o.norm, {gmg::Norm::rms, gmg::Norm::max});
  configure_openmp(options.threads);
  const gmg::Manufactured known = gmg::manufactured(domain, a, o.variable);
  gmg::Solver solver(gmg::helmholtz(domain, {.a = a, .variable = o.variable}), plan);
  std::string text;
  if (o.tune > 0)
    for (const std::string& line : solver.tune(o.tune)) text += line + "\n";
  for (const gmg::Coefficient& c : solver.equation().coefficients())
    if (c.faces)
      solver.set(c.name, gmg::Solver::Sampler([&](std::span<const double> x) {
                   return gmg::manufactured_beta(domain, true, x.back());
                 }));
  std::vector<double> u(known.u.size(), 0);
  const gmg::Report r = solver.solve(known.f, u, {.relative = o.to, .cycles = o.cycles, .norm = norm});
  double error = 0;
  const double shift = solver.hierarchy().singular() ? gmg::mean(known.u) : 0;
  for (std::size_t x = 0; x < u.size(); ++x) error = std::max(error, std::abs(u[x] + shift - known.u[x]));

  text += fmt::format("{} on {} cells, faces {}: {}, weight {:.4g}\n", o.problem, o.size, o.faces, r.plan,
                      solver.hierarchy().level(0).weight());
  text += r.text() + "\n" + r.table();
  if (const std::string factors = predicted(solver.equation(), plan); !factors.empty())
    text += factors + "\n";
  text += fmt::format(
      "set-up {:.0f} ms, cycles {:.1f} ms; largest error of u {:.2e}, of which discretisation is the "
      "part that finer cells make smaller",
      r.setup_ms, r.ms, error);
  print(text);
  return r.converged() ? 0 : 1;
}

}  // namespace lift::cli
