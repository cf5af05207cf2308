// What a cycle does on a level before it goes to the next one, and after it comes back, as one program each:
// a chain of unlike stages (docs/chains.md), which rewriting takes through memory together. Arrays and
// numbers are those of gmg/operators.hpp and gmg/transfer.hpp.
#pragma once

#include "gmg/kernel.hpp"
#include "gmg/sweeps.hpp"
#include "gmg/transfer.hpp"

namespace lift::gmg {

/// {u after so many sweeps, in place; the restriction of its residual}.
Program down_leg_program(const Transfer& t, const Colours& colours, int sweeps);
/// u plus the interpolation of `coarse`, after so many sweeps (at least one), in place; with `norm` {that,
/// the sum of the squares of its residual}. Numbers of the coarse grid are `coarse_` and their name.
Program up_leg_program(const Transfer& t, const Colours& colours, int sweeps, bool norm);
/// A number of the coarser grid in that.
std::string coarse_number(const std::string& name);

/// Both, bound to the arrays of two levels.
class WholeLegs {
 public:
  WholeLegs(const Transfer& t, const Colours& colours, int down, int up, bool norm);
  WholeLegs(const WholeLegs&) = delete;
  WholeLegs& operator=(const WholeLegs&) = delete;
  LaterKernel down, up;
  double bytes_down, bytes_up;  ///< compulsory ones

  /// `fine`, `coarse`: of the levels.
  void bind(const Arguments& fine, const Arguments& coarse);
  void go_down() { (*bound_down_)(); }
  void go_up() { (*bound_up_)(); }
  /// Where the way up has it: the sum of the squares of the last one's residual.
  double squares() const { return squares_; }

 private:
  std::optional<Kernel::Bound> bound_down_, bound_up_;
  double squares_ = 0;
};

}  // namespace lift::gmg
