// Cycles in f32 inside an iteration in f64: A e = f - A u is solved roughly by a cycle in f32, and u + e is
// the next u. The residual is f64's, so that u is as good as f64 lets it be; the cycle moves half the bytes.
#pragma once

#include <memory>

#include "gmg/bottom.hpp"
#include "gmg/cycle.hpp"
#include "gmg/legs.hpp"

namespace lift::gmg {

class SingleCycle {
 public:
  /// f32 twins of the levels, all of which are smoothed by colours, without the last one: that is solved in
  /// f64, by `bottom`. Levels stay where they are.
  SingleCycle(const Plan& plan, const std::vector<std::unique_ptr<Level>>& levels,
              const std::vector<Ratios>& ratios, BottomSolver& bottom);
  void add_needed(std::vector<LaterKernel*>& to);
  void add_cycle(std::vector<CycleKernel>& to);

  /// Corrections go as far as leaves the least energy, on all levels but the finest.
  void take_best_steps(bool best) { best_steps_ = best; }
  /// Takes over coefficients, numbers and diagonals.
  void refresh();
  /// The right-hand side: (f - A u) / scale of the finest level.
  void take_residual(double scale);
  void take_right_hand_side(double scale);  ///< the same where u is 0
  void clear();                             ///< the unknown e begins as 0
  bool has_residual() const { return has_residual_; }
  void forget_residual() { has_residual_ = false; }
  void run(const CycleStep& step);  ///< down, bottom or up
  /// u + times scale e is the finest level's u, with the scale that the residual had when e was found.
  void add(double times);
  double residual_norm(Norm norm);  ///< of f - A u, as it was taken: with f32's precision
  double bytes_of(const CycleStep& step) const;

 private:
  struct Twin {
    Twin(const Plan& plan, Level& level);
    Arguments arguments();

    Level& level;
    Grid grid;
    bool one_pass = false;
    std::map<std::string, Buffer> arrays;
    std::map<std::string, float> numbers;
    std::map<std::string, std::int32_t> indices;
    std::map<int, LaterKernel> sweeps;  ///< in one pass by their number; else 1: a relaxation
    std::map<int, Kernel::Bound> bound;
    LaterKernel apply;  ///< of a correction, e; the result is ae
    std::optional<Kernel::Bound> bound_apply;
    double bytes_of_sweep = 0;
  };
  struct Between {
    explicit Between(const Transfer& t) : transfer(t) {}
    Transfer transfer;
    LaterKernel down, up;
    std::unique_ptr<WholeLegs> legs;
    std::optional<Kernel::Bound> bound_down, bound_up, bound_step;
    double bytes_down = 0, bytes_up = 0, bytes_step = 0;
  };
  void set_scale(double scale);
  LaterKernel& sweeps(Twin& t, int sweeps);
  void smooth(Twin& t, int sweeps);
  void solve_bottom();
  void correct(std::size_t level);
  bool has_step(std::size_t level) const { return best_steps_ && level > 0; }

  Plan plan_;
  BottomSolver& bottom_;
  std::vector<std::unique_ptr<Twin>> twins_;
  std::vector<std::unique_ptr<Between>> between_;
  LaterKernel defect_, add_, squares_, largest_;
  double scale_ = 1, per_scale_ = 1, scale_of_e_ = 1, added_ = 0, number_ = 0;
  bool has_residual_ = false, best_steps_ = false;
};

}  // namespace lift::gmg
