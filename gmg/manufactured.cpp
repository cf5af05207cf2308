#include "gmg/manufactured.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lift::gmg {
namespace {

constexpr double kPi = std::numbers::pi;

double side(const Domain& domain, std::size_t d) {
  return static_cast<double>(domain.cells()[d]) * domain.spacing(d);
}

/// A factor of u along one dimension.
class Wave {
 public:
  Wave(const Domain& domain, std::size_t d) {
    double longest = 0;
    for (std::size_t e = 0; e < domain.dimensions(); ++e) longest = std::max(longest, side(domain, e));
    frequency_ = domain.is_periodic(d) ? 2 * kPi / side(domain, d) : 2 / longest;
  }
  double operator()(double x) const { return std::sin(frequency_ * x + 0.5); }
  double slope(double x) const { return frequency_ * std::cos(frequency_ * x + 0.5); }
  double second(double x) const { return -frequency_ * frequency_ * (*this)(x); }

 private:
  double frequency_;
};

double beta_slope(const Domain& domain, bool variable, double x) {
  if (!variable) return 0;
  const double w = 2 * kPi / side(domain, domain.dimensions() - 1);
  return 0.3 * w * std::cos(w * x + 0.3);
}

/// Calls f with the position of each cell's centre along the dimensions but `without` (-1: along all).
template <class F>
void for_centres(const Domain& domain, int without, const F& f) {
  const std::size_t rank = domain.dimensions();
  std::vector<std::int64_t> at(rank, 0);
  std::vector<double> x(rank, 0);
  while (true) {
    for (std::size_t d = 0; d < rank; ++d) x[d] = (static_cast<double>(at[d]) + 0.5) * domain.spacing(d);
    f(x);
    std::size_t d = rank;
    while (d > 0) {
      const bool skipped = static_cast<int>(d) - 1 == without;
      if (!skipped && ++at[d - 1] < domain.cells()[d - 1]) break;
      at[--d] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace

double manufactured_beta(const Domain& domain, bool variable, double x) {
  return variable ? 1 + 0.3 * std::sin(2 * kPi * x / side(domain, domain.dimensions() - 1) + 0.3) : 1;
}

Manufactured manufactured(Domain& domain, double a, bool variable) {
  const std::size_t rank = domain.dimensions();
  std::vector<Wave> waves;
  for (std::size_t d = 0; d < rank; ++d) waves.emplace_back(domain, d);
  const auto product = [&](const std::vector<double>& x, std::size_t without) {
    double p = 1;
    for (std::size_t d = 0; d < rank; ++d)
      if (d != without) p *= waves[d](x[d]);
    return p;
  };
  for (std::size_t d = 0; d < rank; ++d) {
    if (domain.is_periodic(d)) continue;
    for (const bool high : {false, true}) {
      Condition& c = domain.face({static_cast<Axis>(rank - 1 - d), high});
      c.g = 0, c.values.clear();
      const double at = high ? side(domain, d) : 0, outwards = high ? 1 : -1;
      for_centres(domain, static_cast<int>(d), [&](const std::vector<double>& x) {
        c.values.push_back((c.value * waves[d](at) + c.slope * outwards * waves[d].slope(at)) *
                           product(x, d));
      });
    }
  }
  Manufactured m;
  for_centres(domain, -1, [&](const std::vector<double>& x) {
    double laplacian = 0;
    for (std::size_t d = 0; d < rank; ++d) laplacian += waves[d].second(x[d]) * product(x, d);
    const double u = product(x, rank), i = x[rank - 1];
    m.u.push_back(u);
    m.f.push_back(a * u - manufactured_beta(domain, variable, i) * laplacian -
                  beta_slope(domain, variable, i) * waves[rank - 1].slope(i) * product(x, rank - 1));
  });
  return m;
}

}  // namespace lift::gmg
