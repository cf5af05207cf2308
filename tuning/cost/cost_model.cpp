#include "tuning/cost/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lift {
namespace {

constexpr std::size_t kCosts = kCostNames.size(), kAll = kCosts + 1;

double one_of(const KernelCosts& costs, std::size_t i) { return i < kCosts ? costs[i] : 1; }

/// Places in ascending order; those of equal values are their mean.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> r(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) r[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return r;
}

}  // namespace

double expected_us(const KernelCosts& costs, const CostWeights& weights) {
  double us = 0;
  for (std::size_t i = 0; i < kAll; ++i) us += weights[i] * one_of(costs, i);
  return us;
}

/// Coordinate descent on the normal equations, each weight kept from becoming negative.
CostWeights fitted(std::span<const TimedCosts> kernels) {
  constexpr int kRounds = 3000;
  std::array<std::array<double, kAll>, kAll> products{};
  CostWeights sums{}, weights{};
  for (const TimedCosts& k : kernels)
    for (std::size_t i = 0; i < kAll; ++i) {
      const double x = one_of(k.costs, i) / k.us;
      sums[i] += x;
      for (std::size_t j = 0; j < kAll; ++j) products[i][j] += x * one_of(k.costs, j) / k.us;
    }
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < kAll; ++i) {
      if (!(products[i][i] > 0)) continue;
      double others = 0;
      for (std::size_t j = 0; j < kAll; ++j)
        if (j != i) others += products[i][j] * weights[j];
      weights[i] = std::max(0.0, (sums[i] - others) / products[i][i]);
    }
  return weights;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return 0;
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean), yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

const CostWeights& default_weights(bool grid) {
  static const CostWeights processors{}, grids{};
  return grid ? grids : processors;
}

}  // namespace lift
