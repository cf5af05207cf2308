#include "gmg/level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "embed/compiler.hpp"
#include "gmg/best_step.hpp"
#include "gmg/chunks.hpp"
#include "gmg/sweeps.hpp"
#include "ir/error.hpp"

namespace lift::gmg {
namespace {

Buffer cells_of(std::int64_t n, double value) {
  Buffer b(static_cast<std::size_t>(n) * sizeof(double), {.touch = value == 0});  // each page written once
  if (value != 0) fill(b.as<double>().first(static_cast<std::size_t>(n)), value);
  return b;
}

std::string place(const Domain& domain, std::int64_t flat) {
  std::string s;
  for (std::size_t d = domain.dimensions(); d-- > 0; flat /= domain.cells()[d])
    s = std::to_string(flat % domain.cells()[d]) + (s.empty() ? "" : ", ") + s;
  return "(" + s + ")";
}

std::int64_t elements(const Type& t) {
  std::int64_t n = 1;
  for (const Nat& length : shape_of(t)) n *= length.constant().value();
  return n;
}

}  // namespace

double compulsory_bytes(const Program& p) {
  double bytes = 0;
  for (const Expr& a : p.arguments)
    if (a.type().is_array())
      bytes += static_cast<double>(elements(a.type())) * size_of(element_of(a.type()).scalar());
  const Type result = results_of(p)[0].type;
  const double written = static_cast<double>(elements(result)) * size_of(element_of(result).scalar());
  return bytes + (p.overwritable.empty() ? 2 : 1) * written;
}

bool is_worth_one_pass(const Grid& grid, const Plan& plan) {
  if (plan.plain) return false;
  if (plan.passes != Passes::automatic) return plan.passes != Passes::each;
  return exceeds_caches(grid);
}

bool exceeds_caches(const Grid& grid) {
  const std::size_t arrays = 3 + grid.equation().coefficients().size();
  const double bytes = static_cast<double>(grid.domain().count()) * arrays * size_of(grid.type());
  const double cache = this_machine().last_level_bytes();
  return bytes > (cache > 0 ? cache : 32e6);
}

Making making(const Plan& plan) {
  return {{.tuned = plan.tuned, .database = plan.database}, plan.kernels, plan.plain};
}

bool is_worth_whole_legs(const Grid& grid, const Plan& plan, const Ratios& ratios) {
  const std::vector<std::int64_t>& cells = grid.domain().cells();
  for (std::size_t d = 0; d < ratios.size(); ++d)
    if (cells[d] % ratios[d] != 0) return false;  // corrections of an odd number are no loops over planes
  if (plan.plain || plan.down == 0 || plan.up == 0 || ratios.empty()) return false;
  return plan.passes == Passes::legs || (plan.passes == Passes::automatic && exceeds_caches(grid));
}

std::string cells_text(const Grid& grid) {
  std::string s;
  for (const auto n : grid.domain().cells()) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s;
}

void add_kernel(LaterKernel& kernel, double bytes, const Grid& grid, std::vector<CycleKernel>& to) {
  for (CycleKernel& k : to)
    if (k.kernel == &kernel) return void(k.bytes += bytes);
  to.push_back({&kernel, bytes, cells_text(grid) + " cells, " + lift::text(grid.type())});
}

Level::Level(const Grid& grid, const Plan& plan, const Ratios& ratios)
    : grid_(grid), smoother_(plan.smoother) {
  colours_ = colours_of(grid_.equation(), grid_.domain());
  if (smoother_ == Smoother::automatic) smoother_ = colours_ ? Smoother::gauss_seidel : Smoother::chebyshev;
  if (smoother_ == Smoother::gauss_seidel && !colours_)
    throw UserError(
        "gmg: A reads cells of one colour from one another on a grid of these cells, so that they cannot be "
        "relaxed at once; use the smoother chebyshev, or an even number of cells along periodic axes");
  numbers_ = grid_.numbers();
  const bool red_black = colours_ && colours_->count() == 2;
  numbers_["weight"] = plan.weight > 0
                           ? plan.weight
                           : suggested_weight(grid_.equation(), grid_.domain(), ratios, smoother_, red_black);
  numbers_["first"] = 0, numbers_["second"] = 1;
  for (const char* name : {"u", "f", "lambda"}) arrays_[name] = cells_of(count(), 0);
  for (const Coefficient& c : grid_.equation().coefficients()) {
    std::int64_t n = 1;
    for (const auto length : grid_.shape_of(c)) n *= length;
    arrays_[c.name] = cells_of(n, 1);
  }
  lambda_kernel_ = LaterKernel([this] { return lambda_program(grid_); });
  apply_kernel_ = LaterKernel([this] { return apply_program(grid_); });
  residual_kernel_ = LaterKernel([this] { return residual_program(grid_); });
  rms_ = LaterKernel([this] { return residual_norm_program(grid_, Norm::rms); });
  max_ = LaterKernel([this] { return residual_norm_program(grid_, Norm::max); });
  if (smoother_ == Smoother::gauss_seidel) {
    one_pass_ = is_worth_one_pass(grid_, plan);
    for (std::size_t r = 0; r < colours_->rows.size(); ++r) indices_["color" + std::to_string(r)] = 0;
    relaxation_ = LaterKernel([this] { return relaxation_program(grid_, *colours_); });
    bytes_of_sweep_ =
        compulsory_bytes(relaxation_program(grid_, *colours_)) * static_cast<double>(colours_->count());
  } else if (const auto axis = lines_of(smoother_)) {
    lines_ = std::make_unique<LineSmoother>(grid_, grid_.domain().dimension_of(*axis));
    bytes_of_sweep_ = lines_->bytes_of_sweep();
  } else {
    arrays_["previous"] = cells_of(count(), 0);
    polynomial_ = LaterKernel([this] { return polynomial_program(grid_); });
    bytes_of_sweep_ = compulsory_bytes(polynomial_program(grid_));
  }
}

LaterKernel& Level::together(int sweeps) {
  return together_.try_emplace(sweeps, [this, sweeps] { return sweeps_program(grid_, *colours_, sweeps); })
      .first->second;
}

void Level::add_needed(const std::vector<int>& sweeps, std::vector<LaterKernel*>& to) {
  to.push_back(&lambda_kernel_);
  if (smoother_ == Smoother::chebyshev) to.push_back(&apply_kernel_);
  if (lines_) return lines_->add_needed(to);
  for (const int n : sweeps)
    if (n > 0) to.push_back(&kernel_of(n));
}

LaterKernel& Level::kernel_of(int sweeps) {
  return smoother_ != Smoother::gauss_seidel ? polynomial_ : one_pass_ ? together(sweeps) : relaxation_;
}

void Level::add_sweeps(int sweeps, std::vector<CycleKernel>& to) {
  if (sweeps == 0) return;
  if (lines_) return lines_->add_sweeps(sweeps, to);
  add_kernel(kernel_of(sweeps), sweeps * bytes_of_sweep_, grid_, to);
}

void Level::add_roles(std::size_t level, const std::vector<int>& sweeps, std::vector<KernelRole>& to) {
  using Role = KernelRole::Role;
  to.push_back({Role::diagonal, level, &lambda_kernel_});
  for (const int n : sweeps) {
    if (n == 0) continue;
    KernelRole r{Role::sweep, level, &relaxation_, n};
    if (smoother_ != Smoother::gauss_seidel)
      r = {Role::polynomial, level, &polynomial_, n};
    else if (one_pass_)
      r = {Role::sweeps, level, &together(n), n};
    const bool known =
        std::any_of(to.begin(), to.end(), [&](const KernelRole& k) { return k.kernel == r.kernel; });
    if (!known) to.push_back(r);
  }
}

std::span<double> Level::array(const std::string& name) {
  const auto it = arrays_.find(name);
  if (it == arrays_.end()) {
    (void)grid_.equation().coefficient(name);
    throw InternalError("gmg: a level without the array '" + name + "'");
  }
  return it->second.as<double>();
}

void Level::set_number(const std::string& name, double value) {
  const auto it = numbers_.find(name);
  if (it == numbers_.end()) throw UserError("gmg: the equation has no number '" + name + "'");
  it->second = value;
}

Arguments Level::arguments() {
  Arguments a;
  for (auto& [name, buffer] : arrays_) a.arrays[name] = buffer.as<double>().data();
  for (const auto& [name, x] : numbers_) a.numbers[name] = &x;
  for (const auto& [name, x] : indices_) a.indices[name] = &x;
  return a;
}

void Level::refresh() {
  const std::span<double> lambda = array("lambda");
  lambda_kernel_.get().bind(arguments(), lambda.data())();
  const double weight = numbers_.at("weight");
  std::atomic<std::size_t> first = lambda.size();
  in_chunks(lambda.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t x = begin; x < end; ++x)
      if (!(lambda[x] > 0) || !std::isfinite(lambda[x])) {
        for (std::size_t known = first; x < known && !first.compare_exchange_weak(known, x);) {
        }
        return;
      }
  });
  if (const std::size_t x = first; x < lambda.size())
    throw UserError("gmg: A's diagonal is " + fmt::format("{:.6g}", weight / lambda[x]) + " at the cell " +
                    place(grid_.domain(), static_cast<std::int64_t>(x)) + " of the grid with " +
                    std::to_string(count()) +
                    " cells; it has to be positive: look at the coefficients there, and at A's sign");
  if (lines_) lines_->refresh(arguments());
  if (smoother_ == Smoother::chebyshev) eigenvalue_ = largest_eigenvalue();
}

// ---- smoothers

void Level::smooth(int sweeps) {
  if (smoother_ == Smoother::gauss_seidel) return relax(sweeps);
  if (lines_) return lines_->smooth(sweeps);
  if (smoother_ == Smoother::jacobi)
    jacobi(sweeps);
  else
    chebyshev(sweeps);
  if (swapped_) {
    const std::span<double> u = array("u"), previous = array("previous");
    std::copy(previous.begin(), previous.end(), u.begin());
    swapped_ = false;
  }
}

void Level::relax(int sweeps) {
  if (sweeps == 0) return;
  if (one_pass_) {
    auto it = sweeps_.find(sweeps);
    if (it == sweeps_.end()) it = sweeps_.emplace(sweeps, together(sweeps).get().bind(arguments())).first;
    return it->second();
  }
  if (!relax_) relax_ = relaxation_.get().bind(arguments());
  for (int s = 0; s < sweeps; ++s)
    for (std::size_t c = 0; c < colours_->count(); ++c) {
      const auto numbers = colours_->numbers(c);
      for (std::size_t r = 0; r < numbers.size(); ++r)
        indices_.at("color" + std::to_string(r)) = static_cast<std::int32_t>(numbers[r]);
      (*relax_)();
    }
}

/// New values are written over those before the last ones, and the two change their parts.
void Level::step(double first, double second) {
  numbers_.at("first") = first, numbers_.at("second") = second;
  if (!forth_) {
    Arguments a = arguments();
    forth_ = polynomial_.get().bind(a);
    std::swap(a.arrays.at("u"), a.arrays.at("previous"));
    back_ = polynomial_.get().bind(a);
  }
  (swapped_ ? *back_ : *forth_)();
  swapped_ = !swapped_;
}

void Level::jacobi(int sweeps) {
  for (int s = 0; s < sweeps; ++s) step(0, 1);
}

/// Of the Chebyshev polynomial that is least on the upper part of the spectrum, [largest / 4, largest], as
/// many steps as sweeps (Saad, Iterative methods for sparse linear systems, algorithm 12.1).
void Level::chebyshev(int sweeps) {
  const double high = 1.1 * eigenvalue_, low = high / 4, centre = (high + low) / 2, half = (high - low) / 2;
  const double sigma = centre / half;
  double rho = 1 / sigma;
  for (int s = 0; s < sweeps; ++s) {
    if (s == 0) {
      step(0, 1 / centre);
      continue;
    }
    const double next = 1 / (2 * sigma - rho);
    step(next * rho, 2 * next / half);
    rho = next;
  }
}

double Level::largest_eigenvalue() {
  const auto n = static_cast<std::size_t>(count());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> x(n), y(n);
  for (double& v : x) v = number(random);
  const std::span<const double> lambda = array("lambda");
  double value = 1;
  for (int k = 0; k < 12; ++k) {
    double norm = 0;
    for (const double v : x) norm += v * v;
    norm = std::sqrt(norm);
    if (norm == 0) break;
    for (double& v : x) v /= norm;
    apply(x, y);
    double after = 0;
    for (std::size_t i = 0; i < n; ++i) y[i] *= lambda[i], after += y[i] * y[i];
    value = std::sqrt(after);
    std::swap(x, y);
  }
  return value;
}

// ---- A, the residual and its norm

void Level::apply_in() {
  Arguments a = arguments();
  a.arrays["u"] = in_.as<double>().data();
  apply_kernel_.get().bind(a, out_.as<double>().data())();
}

std::span<double> Level::new_correction() {
  if (in_.bytes() == 0) in_ = cells_of(count(), 0), out_ = cells_of(count(), 0);
  in_.clear();
  return in_.as<double>().first(static_cast<std::size_t>(count()));
}

void Level::add_correction() {
  apply_in();
  const auto n = static_cast<std::size_t>(count());
  const std::span<const double> e = in_.as<double>().first(n), ae = out_.as<double>().first(n);
  const std::span<double> u = array("u").first(n);
  go<double>(u, best_step<double>(e, ae, u, array("f").first(n)), e);
}

void Level::apply(std::span<const double> x, std::span<double> y) {
  if (in_.bytes() == 0) in_ = cells_of(count(), 0), out_ = cells_of(count(), 0);
  std::copy(x.begin(), x.end(), in_.as<double>().begin());
  apply_in();
  std::copy_n(out_.as<double>().begin(), y.size(), y.begin());
}

void Level::apply_to(std::span<double> y) { apply_kernel_.get().bind(arguments(), y.data())(); }

void Level::residual(std::span<double> r) { residual_kernel_.get().bind(arguments(), r.data())(); }

void Level::prepare_norm(Norm norm) {
  (void)rms_.get();
  if (norm == Norm::max) (void)max_.get();
}

double Level::residual_norm(Norm norm) {
  // Largest magnitudes pass over what is not a number; sums do not.
  prepare_norm(norm);
  rms_.get().bind(arguments(), &sum_)();
  if (norm == Norm::rms || !std::isfinite(sum_)) return std::sqrt(sum_ / static_cast<double>(count()));
  max_.get().bind(arguments(), &largest_)();
  return largest_;
}

}  // namespace lift::gmg
