#include "gmg/bottom.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "ir/error.hpp"

namespace lift::gmg {
namespace {

constexpr std::int64_t kMostDense = 4096;  ///< cells: above, factors take minutes and much memory

double dot(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

double mean(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

void remove_mean(std::span<double> x) {
  const double m = mean(x);
  for (double& v : x) v -= m;
}

bool is_symmetric(Level& level) {
  const auto n = static_cast<std::size_t>(level.count());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> x(n), y(n), ax(n), ay(n);
  for (double& v : x) v = number(random);
  for (double& v : y) v = number(random);
  level.apply(x, ax), level.apply(y, ay);
  const double scale = std::sqrt(dot(ax, ax) * dot(y, y)) + std::sqrt(dot(ay, ay) * dot(x, x));
  return std::abs(dot(y, ax) - dot(x, ay)) <= 1e-10 * scale;
}

// ---- dense

DenseFactors::DenseFactors(std::vector<double> a, std::size_t n) : n_(n), lu_(std::move(a)), rows_(n) {
  double largest = 0;
  for (const double x : lu_) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(lu_[r * n + k]) > std::abs(lu_[pivot * n + k])) pivot = r;
    rows_[k] = pivot;
    if (!(std::abs(lu_[pivot * n + k]) > 1e-13 * largest))
      throw UserError(
          "gmg: A is singular on the coarsest grid, and not only because of its faces: look at its "
          "coefficients, "
          "or solve that grid by sweeps");
    if (pivot != k)
      std::swap_ranges(lu_.begin() + static_cast<std::ptrdiff_t>(k * n),
                       lu_.begin() + static_cast<std::ptrdiff_t>((k + 1) * n),
                       lu_.begin() + static_cast<std::ptrdiff_t>(pivot * n));
    const double* const from = &lu_[k * n];
    for (std::size_t r = k + 1; r < n; ++r) {
      double* const row = &lu_[r * n];
      if (row[k] == 0) continue;
      const double factor = row[k] /= from[k];
      for (std::size_t c = k + 1; c < n; ++c) row[c] -= factor * from[c];
    }
  }
}

void DenseFactors::solve(std::span<double> b) const {
  for (std::size_t k = 0; k < n_; ++k) std::swap(b[k], b[rows_[k]]);
  for (std::size_t r = 0; r < n_; ++r)
    for (std::size_t c = 0; c < r; ++c) b[r] -= lu_[r * n_ + c] * b[c];
  for (std::size_t r = n_; r-- > 0;) {
    for (std::size_t c = r + 1; c < n_; ++c) b[r] -= lu_[r * n_ + c] * b[c];
    b[r] /= lu_[r * n_ + r];
  }
}

// ---- the coarsest level

BottomSolver::BottomSolver(Level& level, const Plan& plan)
    : level_(level),
      asked_(plan.bottom),
      kind_(plan.bottom),
      dense_cells_(plan.bottom_cells),
      sweeps_(plan.bottom_sweeps) {
  if (kind_ == Bottom::dense && level.count() > kMostDense)
    throw UserError("gmg: the coarsest grid has " + std::to_string(level.count()) +
                    " cells, too many for a dense solver; use another one, or ratios that make it smaller");
}

void BottomSolver::refresh(bool singular) {
  singular_ = singular;
  const auto n = static_cast<std::size_t>(level_.count());
  kind_ = asked_;
  if (kind_ == Bottom::automatic)
    kind_ = level_.count() <= std::min(dense_cells_, kMostDense) ? Bottom::dense
            : is_symmetric(level_)                               ? Bottom::conjugate_gradients
                                                                 : Bottom::bicgstab;
  if (kind_ != Bottom::dense) return;
  std::vector<double> a(n * n), unit(n, 0), column(n);
  double largest = 0;
  for (std::size_t c = 0; c < n; ++c) {
    unit[c] = 1;
    level_.apply(unit, column);
    unit[c] = 0;
    for (std::size_t r = 0; r < n; ++r) a[r * n + c] = column[r];
    largest = std::max(largest, std::abs(column[c]));
  }
  // Constants get an eigenvalue of A's magnitude; of right-hand sides without a mean, solutions have none.
  if (singular)
    for (double& x : a) x += largest / static_cast<double>(n);
  factors_ = DenseFactors(std::move(a), n);
}

void BottomSolver::solve() {
  switch (kind_) {
    case Bottom::dense:
      solve_dense();
      break;
    case Bottom::conjugate_gradients:
      conjugate_gradients();
      break;
    case Bottom::bicgstab:
      bicgstab();
      break;
    default:
      level_.smooth(sweeps_);
  }
  if (singular_) remove_mean(level_.array("u"));
}

void BottomSolver::solve_dense() {
  const std::span<double> u = level_.array("u"), f = level_.array("f");
  std::copy(f.begin(), f.end(), u.begin());
  factors_.solve(u);
}

void BottomSolver::precondition(std::span<const double> r, std::span<double> z) const {
  const std::span<const double> lambda = level_.array("lambda");
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = lambda[i] * r[i];
  if (singular_) remove_mean(z);
}

/// For A that is not symmetric, likewise (van der Vorst, 1992). Begins anew where it breaks down.
void BottomSolver::bicgstab() {
  const std::span<double> u = level_.array("u");
  const std::size_t n = u.size();
  std::vector<double> r(n), shadow(n), p(n), v(n), y(n), z(n), t(n);
  level_.residual(r);
  const double enough = 1e-6 * dot(r, r);
  double rho = 0, alpha = 1, omega = 1;
  for (std::size_t k = 0; k < 20 + 2 * n && dot(r, r) > enough; ++k) {
    double next = dot(shadow, r);
    const bool begins =
        k == 0 || std::abs(next) <= 1e-14 * std::sqrt(dot(r, r) * dot(shadow, shadow)) || omega == 0;
    if (begins) shadow = r, next = dot(r, r);
    const double beta = begins ? 0 : next / rho * (alpha / omega);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + (begins ? 0 : beta * (p[i] - omega * v[i]));
    rho = next;
    precondition(p, y), level_.apply(y, v);
    const double along = dot(shadow, v);
    if (along == 0 || !std::isfinite(along)) return;  // what there is has to do
    alpha = rho / along;
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * v[i];
    precondition(r, z), level_.apply(z, t);
    const double tt = dot(t, t);
    omega = tt > 0 ? dot(t, r) / tt : 0;
    for (std::size_t i = 0; i < n; ++i) u[i] += alpha * y[i] + omega * z[i], r[i] -= omega * t[i];
  }
}

/// Preconditioned by the diagonal, to a thousandth of the first residual; from u as it is.
void BottomSolver::conjugate_gradients() {
  const std::span<double> u = level_.array("u");
  const std::size_t n = u.size();
  std::vector<double> r(n), z(n), p(n), ap(n);
  level_.residual(r);
  precondition(r, z);
  p = z;
  double rz = dot(r, z);
  const double enough = 1e-6 * rz;
  for (std::size_t k = 0; k < 20 + 4 * n && rz > enough; ++k) {
    level_.apply(p, ap);
    const double pap = dot(p, ap);
    if (!(pap > 0)) break;  // A is not positive in this direction: what there is has to do
    const double alpha = rz / pap;
    for (std::size_t i = 0; i < n; ++i) u[i] += alpha * p[i], r[i] -= alpha * ap[i];
    precondition(r, z);
    const double next = dot(r, z), beta = next / rz;
    rz = next;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
  }
}

}  // namespace lift::gmg
