// The coarsest level, solved.
#pragma once

#include "gmg/level.hpp"

namespace lift::gmg {

/// A dense matrix in triangular factors.
class DenseFactors {
 public:
  DenseFactors() = default;
  /// n x n, row-major. UserError where it is singular to working precision.
  DenseFactors(std::vector<double> a, std::size_t n);
  void solve(std::span<double> b) const;  ///< in place

 private:
  std::size_t n_ = 0;
  std::vector<double> lu_;
  std::vector<std::size_t> rows_;  ///< that pivots were swapped with
};

class BottomSolver {
 public:
  /// UserError: dense, for more cells than that is good for.
  BottomSolver(Level& level, const Plan& plan);
  /// After coefficients have changed. `singular`: constants are in A's null space, on both sides.
  void refresh(bool singular);
  /// u from f; where A is singular, f has no mean (means of f are those of the finest level) and u has none.
  void solve();
  Bottom kind() const { return kind_; }

 private:
  void solve_dense();
  void conjugate_gradients();
  void bicgstab();
  void precondition(std::span<const double> r, std::span<double> z) const;

  Level& level_;
  Bottom asked_, kind_;
  std::int64_t dense_cells_;
  int sweeps_;
  bool singular_ = false;
  DenseFactors factors_;
};

double mean(std::span<const double> x);
void remove_mean(std::span<double> x);
/// Whether x . A y = y . A x for arrays without a pattern.
bool is_symmetric(Level& level);

}  // namespace lift::gmg
