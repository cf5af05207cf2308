// K cycles: a coarser level's problem, A e = f, is solved by two steps of an iteration that takes cycles as
// its preconditioner (Notay and Vassilevski, Recursive Krylov-based multigrid cycles, 2008). What they find
// is combined so that the least energy is left, or, where A is not symmetric, the least residual. For
// coefficients that jump.
#pragma once

#include "gmg/level.hpp"

namespace lift::gmg {

/// Of one level, whose u is what a cycle has made of its f.
class KrylovSteps {
 public:
  explicit KrylovSteps(Level& level);
  void take_symmetric(bool symmetric) { symmetric_ = symmetric; }
  /// u is kept, f becomes what a multiple of it leaves, and u 0 again.
  void first();
  /// u becomes the best combination of the one that was kept and this one.
  void second();

 private:
  Level& level_;
  std::vector<double> e_, ae_, next_;  ///< what the first cycle found, A of it; A of what the second one did
  double step_ = 0, curves_ = 0;
  bool symmetric_ = false;
};

}  // namespace lift::gmg
