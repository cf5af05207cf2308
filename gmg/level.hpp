// One grid of a solver: its arrays, and what is computed on it alone.
#pragma once

#include <optional>

#include "gmg/kernel.hpp"
#include "gmg/lines.hpp"
#include "gmg/plan.hpp"
#include "gmg/tune.hpp"

namespace lift::gmg {

/// Of a plan's kernels.
Making making(const Plan& plan);

/// Bytes that a program has to move: its arrays once, what it writes once more, and once more where that was
/// not read before.
double compulsory_bytes(const Program& p);
/// "64x64x64".
std::string cells_text(const Grid& grid);
/// Adds a kernel of a cycle, or the bytes of another use of it.
void add_kernel(LaterKernel& kernel, double bytes, const Grid& grid, std::vector<CycleKernel>& to);
/// Whether its arrays do.
bool exceeds_caches(const Grid& grid);
/// Whether sweeps over such a grid should share a pass over memory: its arrays exceed the caches.
bool is_worth_one_pass(const Grid& grid, const Plan& plan);
/// Whether the whole of a leg should.
bool is_worth_whole_legs(const Grid& grid, const Plan& plan, const Ratios& ratios);

class Level {
 public:
  /// Coefficients begin as 1, all else as 0. `ratios`: to the next level; empty: there is none.
  Level(const Grid& grid, const Plan& plan, const Ratios& ratios);
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  const Grid& grid() const { return grid_; }
  std::int64_t count() const { return grid_.domain().count(); }
  /// By name: u, f, lambda, coefficients; "previous" where the smoother has one. UserError: no such array.
  std::span<double> array(const std::string& name);
  bool has_array(const std::string& name) const { return arrays_.contains(name); }
  void clear(const std::string& name) { arrays_.at(name).clear(); }
  void set_number(const std::string& name, double value);
  double number(const std::string& name) const { return numbers_.at(name); }
  /// To bind other programs of this grid; arrays and numbers stay where they are.
  Arguments arguments();

  /// After coefficients have changed. UserError where the diagonal is not positive, or not finite.
  void refresh();
  void smooth(int sweeps);
  /// A correction of u, to be added to: 0 at first.
  std::span<double> new_correction();
  void add_correction();  ///< as far as leaves the least energy (see best_step)
  void apply(std::span<const double> x, std::span<double> y);  ///< y = A x
  void apply_to(std::span<double> y);                          ///< y = A u
  void prepare_norm(Norm norm);                                ///< makes its kernel, if there is none
  double residual_norm(Norm norm);
  void residual(std::span<double> r);
  /// Kernels that these sweeps, and `refresh`, are going to need.
  void add_needed(const std::vector<int>& sweeps, std::vector<LaterKernel*>& to);
  void add_sweeps(int sweeps, std::vector<CycleKernel>& to);
  /// Of the diagonal, and of these sweeps; `level`: its number.
  void add_roles(std::size_t level, const std::vector<int>& sweeps, std::vector<KernelRole>& to);
  LaterKernel& apply_kernel() { return apply_kernel_; }
  LaterKernel& norm_kernel(Norm norm) { return norm == Norm::max ? max_ : rms_; }

  Smoother smoother() const { return smoother_; }
  const std::optional<Colours>& colours() const { return colours_; }
  double weight() const { return numbers_.at("weight"); }
  /// Compulsory bytes of one sweep.
  double bytes_of_sweep() const { return bytes_of_sweep_; }

 private:
  LaterKernel& together(int sweeps);
  LaterKernel& kernel_of(int sweeps);  ///< of smoothers that have one
  void apply_in();
  void relax(int sweeps);
  void jacobi(int sweeps);
  void chebyshev(int sweeps);
  double largest_eigenvalue();  ///< of the diagonal's inverse times A, from a few power iterations
  void step(double first, double second);

  Grid grid_;
  Smoother smoother_;
  bool one_pass_ = false;  ///< sweeps that follow one another share one
  std::optional<Colours> colours_;
  std::unique_ptr<LineSmoother> lines_;
  std::map<std::string, Buffer> arrays_;
  std::map<std::string, double> numbers_;
  std::map<std::string, std::int32_t> indices_;
  Buffer in_, out_;  ///< of apply; a correction and A of it
  double sum_ = 0, largest_ = 0, eigenvalue_ = 0, bytes_of_sweep_ = 0;
  LaterKernel relaxation_, polynomial_, lambda_kernel_, apply_kernel_, residual_kernel_, rms_, max_;
  std::map<int, LaterKernel> together_;  ///< so many sweeps in one pass
  std::optional<Kernel::Bound> relax_, forth_, back_;
  std::map<int, Kernel::Bound> sweeps_;
  bool swapped_ = false;  ///< of a polynomial smoother: the newest values are in "previous"
};

}  // namespace lift::gmg
