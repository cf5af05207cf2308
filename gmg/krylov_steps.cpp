#include "gmg/krylov_steps.hpp"

#include <cmath>
#include <map>
#include <mutex>

#include "gmg/best_step.hpp"
#include "gmg/chunks.hpp"

namespace lift::gmg {
namespace {

double product(std::span<const double> x, std::span<const double> y) {
  std::map<std::size_t, double> sums;  // by where a chunk begins: the same in each run
  std::mutex mutex;
  in_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += x[i] * y[i];
    const std::lock_guard lock(mutex);
    sums[begin] = sum;
  });
  double sum = 0;
  for (const auto& [begin, part] : sums) sum += part;
  return sum;
}

/// x / y; 0 where that is no number: nothing is left to be done.
double quotient(double x, double y) { return y > 0 && std::isfinite(x / y) ? x / y : 0; }

}  // namespace

KrylovSteps::KrylovSteps(Level& level) : level_(level) {
  const auto n = static_cast<std::size_t>(level.count());
  e_.resize(n), ae_.resize(n), next_.resize(n);
}

void KrylovSteps::first() {
  const std::size_t n = e_.size();
  const std::span<double> u = level_.array("u").first(n), f = level_.array("f").first(n);
  std::copy(u.begin(), u.end(), e_.begin());
  level_.apply_to(ae_);
  const std::span<const double> along = symmetric_ ? std::span<const double>(e_) : ae_;
  curves_ = product(along, ae_), step_ = quotient(product(along, f), curves_);
  go<double>(f, -step_, ae_);
  level_.clear("u");
}

void KrylovSteps::second() {
  const std::size_t n = e_.size();
  const std::span<double> u = level_.array("u").first(n), f = level_.array("f").first(n);
  level_.apply_to(next_);
  // What the second step shares with the first one is taken off.
  const double shared = quotient(product(symmetric_ ? std::span<const double>(e_) : ae_, next_), curves_);
  go<double>(next_, -shared, ae_), go<double>(u, -shared, e_);
  const std::span<const double> along = symmetric_ ? std::span<const double>(u) : next_;
  const double step = quotient(product(along, f), product(along, next_));
  in_chunks(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) u[i] = step * u[i] + step_ * e_[i];
  });
}

}  // namespace lift::gmg
