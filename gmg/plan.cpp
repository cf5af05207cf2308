#include "gmg/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/error.hpp"

namespace lift::gmg {

const char* text(Smoother s) {
  switch (s) {
    case Smoother::automatic:
      return "automatic";
    case Smoother::gauss_seidel:
      return "gauss-seidel";
    case Smoother::jacobi:
      return "jacobi";
    case Smoother::chebyshev:
      return "chebyshev";
    case Smoother::lines_k:
      return "lines-k";
    case Smoother::lines_j:
      return "lines-j";
    case Smoother::lines_i:
      return "lines-i";
  }
  return "";
}
std::optional<Axis> lines_of(Smoother s) {
  switch (s) {
    case Smoother::lines_k:
      return Axis::k;
    case Smoother::lines_j:
      return Axis::j;
    case Smoother::lines_i:
      return Axis::i;
    default:
      return std::nullopt;
  }
}
const char* text(CycleKind c) {
  return c == CycleKind::V ? "V" : c == CycleKind::W ? "W" : c == CycleKind::F ? "F" : "K";
}
const char* text(Bottom b) {
  switch (b) {
    case Bottom::automatic:
      return "automatic";
    case Bottom::dense:
      return "dense";
    case Bottom::sweeps:
      return "sweeps";
    case Bottom::conjugate_gradients:
      return "conjugate-gradients";
    case Bottom::bicgstab:
      return "bicgstab";
  }
  return "";
}

const char* text(Passes p) {
  switch (p) {
    case Passes::automatic:
      return "automatic";
    case Passes::each:
      return "each";
    case Passes::together:
      return "together";
    case Passes::legs:
      return "legs";
  }
  return "";
}

const char* text(Corrections c) {
  return c == Corrections::whole ? "whole" : c == Corrections::least_energy ? "least-energy" : "automatic";
}

std::string str(const Plan& p) {
  std::string s = (p.steps.empty() ? std::string(text(p.cycle)) : "own cycle ") + "(" +
                  std::to_string(p.down) + "," + std::to_string(p.up) + ")";
  if (p.full_start) s = "full multigrid, then " + s;
  s += std::string(", smoother ") + text(p.smoother);
  if (p.weight > 0) s += fmt::format(", weight {:.4g}", p.weight);
  if (p.passes != Passes::automatic) s += std::string(", passes ") + text(p.passes);
  if (p.corrections != Corrections::automatic) s += std::string(", corrections ") + text(p.corrections);
  if (p.plain) s += ", kernels as they are written";
  if (p.mixed) s += ", cycles in f32";
  if (p.mixed && p.inner > 0) s += fmt::format(", {} for one residual in f64", p.inner);
  if (!p.bricks.empty()) s += fmt::format(", {} bricks", fmt::join(p.bricks, "x"));
  return s + ", bottom " + text(p.bottom);
}

void check(const Plan& p) {
  if (p.down < 0 || p.up < 0 || p.down + p.up == 0)
    throw UserError("gmg::Plan: " + std::to_string(p.down) + " sweeps down and " + std::to_string(p.up) +
                    " up; at least one is needed");
  if (!(p.weight >= 0 && p.weight < 2))
    throw UserError("gmg::Plan: a relaxation weight of " + fmt::format("{:.6g}", p.weight) +
                    "; it lies between 0 and 2, and 0 stands for the suggested one");
  if (p.inner < 0)
    throw UserError("gmg::Plan: " + std::to_string(p.inner) +
                    " cycles for one residual in f64; at least one, and 0 stands for as many as pay");
  if (p.bottom_sweeps < 1 || p.bottom_cells < 1)
    throw UserError("gmg::Plan: the coarsest level needs at least one sweep and one cell");
}

bool takes_steps(const Plan& p, std::size_t levels, std::size_t coefficients) {
  return levels > 2 && (p.corrections == Corrections::least_energy ||
                        (p.corrections == Corrections::automatic && coefficients > 0 && !p.is_krylov()));
}

std::vector<double> couplings(const Equation& equation, const Domain& grid) {
  std::vector<double> spacings, share(grid.dimensions(), 0);
  for (std::size_t d = 0; d < grid.dimensions(); ++d) spacings.push_back(grid.spacing(d));
  const std::vector<double> weights = equation.weights({}, spacings);
  double all = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Offset& o = equation.footprint()[i];
    // A neighbour along several axes couples none of them more than the others.
    if (std::count_if(o.begin(), o.end(), [](int x) { return x != 0; }) != 1) continue;
    for (std::size_t d = 0; d < o.size(); ++d)
      if (o[d] != 0) share[d] += std::abs(weights[i]), all += std::abs(weights[i]);
  }
  for (double& s : share) s = all > 0 ? s / all : 1 / static_cast<double>(share.size());
  return share;
}

Ratios suggested_ratios(const Equation& equation, const Domain& grid, Smoother smoother) {
  const std::optional<Axis> axis = lines_of(smoother);
  const auto is_line = [&](std::size_t d) { return axis && d == grid.dimension_of(*axis); };
  const std::vector<double> share = couplings(equation, grid);
  const std::int64_t least = std::max(2, equation.radius());
  const auto can = [&](std::size_t d) { return grid.cells()[d] >= 3 && (grid.cells()[d] + 1) / 2 >= least; };
  double strongest = 0;
  for (std::size_t d = 0; d < share.size(); ++d)
    if (can(d) && !is_line(d)) strongest = std::max(strongest, share[d]);
  Ratios ratios;
  for (std::size_t d = 0; d < share.size(); ++d)
    ratios.push_back(can(d) && (is_line(d) || share[d] >= 0.5 * strongest) ? 2 : 1);
  if (std::all_of(ratios.begin(), ratios.end(), [](int r) { return r == 1; })) ratios.clear();
  return ratios;
}

double suggested_weight(const Equation& equation, const Domain& grid, const Ratios& ratios, Smoother smoother,
                        bool red_black) {
  const auto rank = static_cast<double>(grid.dimensions());
  if (smoother == Smoother::chebyshev || lines_of(smoother)) return 1;
  if (smoother == Smoother::jacobi) return 2 * rank / (2 * rank + 1);
  if (!red_black) return 1;
  const std::vector<double> share = couplings(equation, grid);
  double c = 1;
  for (std::size_t d = 0; d < share.size(); ++d)
    if (ratios.empty() || ratios[d] > 1) c = std::min(c, share[d]);
  return 2 / (1 + std::sqrt(1 - (1 - c) * (1 - c)));
}

}  // namespace lift::gmg
