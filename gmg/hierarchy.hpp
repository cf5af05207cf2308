// The levels of a solver, and the legs of its cycles on them.
#pragma once

#include "gmg/bottom.hpp"
#include "gmg/bricks.hpp"
#include "gmg/cycle.hpp"
#include "gmg/krylov_steps.hpp"
#include "gmg/legs.hpp"
#include "gmg/single.hpp"

namespace lift::gmg {

/// What was spent on a leg of a level.
struct LegTime {
  std::size_t level = 0;
  Leg leg = Leg::down;
  int calls = 0;
  double ms = 0;     ///< of all calls
  double bytes = 0;  ///< compulsory ones of a call; 0: not counted
};

class Hierarchy {
 public:
  /// Kernels for all levels. UserError: ratios that do not suit the domain; a plan that means nothing.
  Hierarchy(const Equation& equation, const Plan& plan);

  std::size_t size() const { return levels_.size(); }
  Level& level(std::size_t l) { return *levels_[l]; }
  /// After coefficients or numbers of the finest level have changed: those of the coarser ones, diagonals,
  /// the coarsest level's solver. UserError: see Level::refresh.
  void refresh();
  /// Before a cycle: u and f of the finest level have been written.
  void begin() {
    if (bricks_) bricks_->begin();
  }
  void run(const CycleStep& step);
  void run(const CycleSteps& steps);
  /// u as the last step has left it.
  std::span<double> solution();
  /// Cycles are done in f32 (Plan::mixed, where every level has colours).
  bool is_mixed() const { return single_ != nullptr; }
  /// u plus what these steps, in f32, find as a solution of A e = f - A u; returns the norm of the residual
  /// after it. `residual`: the norm before; the f32 residual is divided by it, so that it stays in range.
  double correct(const CycleSteps& steps, int cycles, double residual, Norm norm);
  /// Of the first u, which is 0 everywhere or not, with f of the norm `scale`, not 0: the residual's norm,
  /// where cycles are in f32; `correct` goes on from there.
  double first_residual(double scale, bool zero, Norm norm);
  /// `times` what the last `correct` has added to u, once more.
  void add(double times) { single_->add(times); }
  /// Before another u or f.
  void forget_residual() {
    squares_.reset();
    if (single_) single_->forget_residual();
  }
  /// Of the finest level.
  double residual_norm(Norm norm);

  /// All kernels of set-ups and cycles in f64, once each. Between levels, those of the finer one.
  std::vector<KernelRole> roles();
  /// See gmg/tune.hpp.
  std::vector<std::string> tune(double seconds, const std::string& database, Derivations& found);

  /// Corrections go as far as leaves the least energy, on all levels but the finest (Plan::corrections).
  bool takes_best_steps() const { return best_steps_; }
  /// Constants are in A's null space: no face has a value.
  bool singular() const { return singular_; }
  Bottom bottom() const { return bottom_->kind(); }
  /// What a user should know of how the levels came out, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  double kernels_ms() const { return kernels_ms_; }  ///< of kernels and the weight, when they were found
  const std::vector<LegTime>& times() const { return times_; }
  void forget_times() { times_.clear(); }

 private:
  struct Between {  ///< a level and the next
    Transfer transfer;
    Ratios ratios;
    LaterKernel residual_restriction, restriction, correction;
    std::unique_ptr<WholeLegs> legs;
    std::vector<LaterKernel> coefficients;
    std::optional<Kernel::Bound> down, restrict_f, up, step;
    double bytes_down, bytes_up, bytes_step;
    Between(const Transfer& t, Ratios r);
    Between(const Between&) = delete;
    Between& operator=(const Between&) = delete;
  };
  Ratios ratios_from(std::size_t l, const Equation& equation, const Domain& domain);
  void make_levels(const Equation& equation);
  Plan plan_of_level(const Equation& equation, const Domain& domain, const Ratios& ratios) const;
  void make_kernels();
  void bind();
  void do_step(const CycleStep& step);
  void do_in_bricks(const CycleStep& step);
  bool goes_up_whole(std::size_t l) const { return between_[l]->legs && !(best_steps_ && l > 0); }
  void record(const CycleStep& step, double ms, double bytes);
  double bytes_of(const CycleStep& step) const;
  void find_singular();
  void find_steps();
  void make_bricks();

  Plan plan_;
  double best_weight_ = 0;  ///< on grids as isotropic as the finest; 0: not known
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<std::unique_ptr<Between>> between_;
  std::unique_ptr<BottomSolver> bottom_;
  std::unique_ptr<SingleCycle> single_;
  std::map<std::size_t, KrylovSteps> krylov_;  ///< of levels with such legs
  std::unique_ptr<Bricks> bricks_;             ///< of the finer levels (Plan::bricks)
  std::optional<double> squares_;              ///< of the residual, summed, where a leg has left it
  bool singular_ = false, best_steps_ = false;
  double kernels_ms_ = 0;
  std::vector<std::string> notes_;
  std::vector<LegTime> times_;
};

}  // namespace lift::gmg
