// A u = f, solved by multigrid on the processors of this machine.
//
//   gmg::Domain box({96, 200, 256}, {.spacing = 1.0 / 256});
//   gmg::Solver solver(gmg::helmholtz(box));
//   solver.set("beta_k", bk).set("beta_j", bj).set("beta_i", bi);
//   gmg::Report r = solver.solve(f, u, {.relative = 1e-8});
//   if (!r.converged()) throw std::runtime_error(r.text());
#pragma once

#include "gmg/report.hpp"

namespace lift::gmg {

/// When a solve ends.
struct Goal {
  double relative = 1e-8;  ///< residual's norm over that where u is 0 (f, and what the conditions' g add)
  double absolute = 0;     ///< or the norm itself, in units of f
  int cycles = 50;         ///< at most
  Norm norm = Norm::rms;
  /// Called after so many cycles each, where u is the best so far, with that; 0: never. What it throws ends
  /// the solve.
  int every = 0;
  std::function<void(int cycles, std::span<const double> u)> each = {};
};

class Solver {
 public:
  /// Kernels are made here. UserError: see Equation, Hierarchy. EnvironmentError: no C compiler.
  explicit Solver(Equation equation, Plan plan = {}) : Solver(std::move(equation), std::move(plan), true) {}
  /// `look_up` false: choices are those of the plan, also where that asks for what tuning has found.
  Solver(Equation equation, Plan plan, bool look_up);

  /// A coefficient, row-major, of the domain's shape with one more along the axis whose faces it is on; it is
  /// copied. Kernels stay as they are. UserError: no such coefficient, another number of elements.
  Solver& set(const std::string& name, std::span<const double> values);
  /// As a function of the position, outermost coordinate first, in units of the spacing; the region begins at
  /// 0.
  using Sampler = std::function<double(std::span<const double> position)>;
  Solver& set(const std::string& name, const Sampler& value);
  /// A number of the equation, or a coefficient that is the same everywhere.
  Solver& set(const std::string& name, double value);
  /// The shape of a coefficient.
  std::vector<std::int64_t> shape(const std::string& name) const;

  /// `u`: the first guess, then the best iterate; both of the domain's shape, row-major. Where A is singular,
  /// f loses its mean and u has none, which the report says. UserError: other sizes, tolerances that mean
  /// nothing, a diagonal that is not positive. What goes wrong on the way is the report's status.
  Report solve(std::span<const double> f, std::span<double> u, const Goal& goal = {});

  // For other iterations, which call these:

  /// y = A x, the conditions' values being 0. UserError: other sizes.
  void apply(std::span<const double> x, std::span<double> y);
  /// f less what the conditions' values add: with values of 0, that has the same solution.
  std::vector<double> homogeneous(std::span<const double> f);
  /// z: what so many cycles from 0 make of A z = r, the conditions' values being 0. A preconditioner, linear
  /// in r but, as sweeps go by colours, not symmetric. UserError: other sizes.
  void precondition(std::span<const double> r, std::span<double> z, int cycles = 1);

  /// Explores the kernels of a cycle for so long, and takes the fastest; they and the plan are remembered in
  /// a database (a file; empty: the user's; "none": nowhere), where a solver with Plan::tuned finds them. A
  /// line for each.
  std::vector<std::string> tune(double seconds, const std::string& database = "");

  /// Tries plans near this one on A u = f, from u = 0, for so long, and goes on with the one that reached the
  /// goal in the least time, which is remembered likewise. A line for each, the one that was taken first.
  /// UserError: as solve.
  std::vector<std::string> tune_plan(std::span<const double> f, const Goal& goal, double seconds,
                                     const std::string& database = "");

  const Equation& equation() const { return equation_; }
  const Plan& plan() const { return plan_; }
  Hierarchy& hierarchy() { return *hierarchy_; }

 private:
  void prepare();
  void begin(std::span<const double> f, std::span<const double> u, const Goal& goal, Report& report);
  int inner_cycles(const Goal& goal, const Report& report) const;
  void cycle_until(const Goal& goal, Report& report, std::span<double> best);
  bool ends(const Goal& goal, Report& report) const;
  double rounding();
  void check_size(const char* what, std::size_t n) const;

  Equation equation_;
  Plan plan_;
  std::string origin_;  ///< of a tuned plan; "": there is none
  std::unique_ptr<Hierarchy> hierarchy_;
  bool zero_guess_ = false;    ///< the first u of this solve is 0
  std::vector<double> shift_;  ///< A of what the conditions' g are; empty: 0
  bool stale_ = true;
  double kernels_ms_ = 0;
};

}  // namespace lift::gmg
