// The operator L of smoothers and residuals, cell-centred, in 1 to 3 dimensions, as an expression.
//
//   variable coefficients (miniGMG, apply_op), of radius 1:
//     L(phi) = a*alpha*phi - b/h^2 * (  beta_i[i+1]*(phi[i+1]-phi) - beta_i[i]*(phi-phi[i-1])
//                                     + beta_j[j+1]*(phi[j+1]-phi) - beta_j[j]*(phi-phi[j-1])
//                                     + beta_k[k+1]*(phi[k+1]-phi) - beta_k[k]*(phi-phi[k-1]) )
//   constant coefficients (alpha = beta = 1): L(phi) = a*phi - b/h^2 * D(phi), D = h^2 times a discrete
//   Laplacian:
//     star   second order, phi's 2 dim neighbours                                    3, 5, 7 points
//     wide   fourth order, (-1, 16, -30, 16, -1) / 12 along each axis                5, 9, 13 points
//     box    second order, isotropic, all 3^dim cells about the cell                 3, 9, 27 points
#pragma once

#include "patterns/box_views.hpp"

namespace lift {

/// The choices `coefficients` and `stencil`.
Choices stencil_choices();

class Stencil {
 public:
  /// Checks the problem. `allowed`: the pattern's choices, stencil_choices() among them.
  Stencil(const BoxProblem& p, const Choices& allowed);
  Stencil(const BoxProblem& p, bool variable, const std::string& shape);

  bool variable() const { return variable_; }
  const std::string& shape() const { return shape_; }
  int radius() const { return shape_ == "wide" ? 2 : 1; }

  /// alpha, beta_i, beta_j, beta_k (as far as there are), or none for constant coefficients.
  const std::vector<Expr>& coefficients() const { return coefficients_; }
  /// The scalar arguments a, b_h2inv, and boundary_value where the boundary condition has one.
  std::vector<Expr> scalars() const;

  // In one box:
  Expr windows(const Expr& phi) const { return cell_windows(p_, radius(), phi); }
  /// What a cell needs of each coefficient array, to be zipped with the windows: alpha itself, two faces of
  /// each beta.
  std::vector<Expr> coefficient_views(Parts coefficients) const;
  // In one cell:
  Expr centre(const Expr& window) const { return along(p_, window, radius(), 0, 0); }
  /// L(phi) from the cell's window and what coefficient_views gave it.
  Expr operator()(const Expr& window, Parts coefficients) const;

 private:
  Expr variable_at(const Expr& window, Parts coefficients) const;
  Expr laplacian(const Expr& window) const;  ///< D(phi)

  BoxProblem p_;
  bool variable_;
  std::string shape_;
  std::vector<Expr> coefficients_;
  Expr a_, b_h2inv_;
};

/// Weights of the isotropic Laplacian on 3^dim cells, by the number of coordinates in which a cell differs
/// from the middle. They sum to zero and are exact on quadratic functions.
std::vector<double> isotropic_weights(int dim);

}  // namespace lift
