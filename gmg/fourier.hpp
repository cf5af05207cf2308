// Local Fourier analysis: how fast smoothing and two grids reduce errors on a grid without faces, for an A
// with constant coefficients (Trottenberg, Oosterlee, Schueller, Multigrid, chapter 4). A's symbol comes from
// its expression, colours from its footprint.
//
// Waves of frequency theta and theta + pi along some axes are one another's images on the coarse grid, and
// colours mix them, too: 2^dim of them make one small complex matrix for every operator.
#pragma once

#include <map>

#include "gmg/plan.hpp"

namespace lift::gmg {

struct FourierFactors {
  double smoothing = 0;  ///< of waves that the coarse grid does not see, by one sweep
  double two_grid = 0;   ///< of all, by a cycle whose coarse grid is solved
};

/// Of a plan's sweeps and weight (0: the one that a solver takes on its finest level) with `coefficients` (by
/// name; 1 otherwise) on the domain's spacings, its first ratios, Gauss-Seidel, Jacobi or lines. `samples`
/// frequencies an axis. UserError: ratios of 3, a footprint without colours modulo 2, Chebyshev.
FourierFactors fourier_factors(const Equation& equation, const Plan& plan,
                               const std::map<std::string, double>& coefficients = {}, int samples = 16);

/// The weight between 1 and 1.5 (Gauss-Seidel), or 0.5 and 1 (Jacobi), for which the two-grid factor is
/// least, to 0.01; of Gauss-Seidel the largest for which it is within 15 % of that: coefficients that vary
/// ask for more.
double best_weight(const Equation& equation, Plan plan,
                   const std::map<std::string, double>& coefficients = {});

}  // namespace lift::gmg
