// The best weight by Fourier analysis, where a solver takes it by itself; kept between processes, as finding
// it takes longer than finding a solver's kernels.
#pragma once

#include "gmg/plan.hpp"

namespace lift::gmg {

/// best_weight (gmg/fourier.hpp) of a plan that names no weight, for red-black Gauss-Seidel on grids that are
/// joined by two along all axes (where axes differ, coefficients that vary leave less room). Else 0. It lies
/// beside the compiled kernels; what is no weight there is found again.
double found_weight(const Equation& equation, const Plan& plan);
/// By what it is found again, and the end of its file's name.
std::string weight_key(const Equation& equation, const Plan& plan, const Ratios& first);
constexpr const char* kWeightSuffix = ".weight";

}  // namespace lift::gmg
