// Listings 2.8 and 2.10 over the boxes of a problem: `--form thesis` of the residual and the smoother.
#pragma once

#include "patterns/box_views.hpp"
#include "patterns/stencil.hpp"

namespace lift {

/// The choice `form` of operators that exist in the thesis's form, the library's own first. 3D only.
Choices with_thesis_form(Choices c, int dim);
bool has_thesis_form(const Problem& p);
/// UserError for a problem that the thesis's form is not for: it has a ghost zone, and variable coefficients.
void check_thesis_form(const BoxProblem& p, const Stencil& L);

/// n^3, of a box's phi, rhs, alpha, beta_i, beta_j, beta_k.
Expr thesis_residual(const BoxProblem& p, const Stencil& L, Parts box);
/// n^3, of a box's phi, rhs, alpha, beta_i, beta_j, beta_k, lambda, and its colours (i32): phi where that is
/// 0.
Expr thesis_smooth(const BoxProblem& p, const Stencil& L, Parts box);

/// Fills `colors`: 1 in the cells where (i + j + k) % 2 == 0.
void fill_colors(const Problem& p, const HostArray& colors);

}  // namespace lift
