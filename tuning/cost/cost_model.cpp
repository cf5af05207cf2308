#include "tuning/cost/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <range/v3/view/zip.hpp>

namespace lift {
namespace {

constexpr std::size_t kCosts = kCostNames.size(), kAll = kCosts + 1;

/// What each takes by itself on a processor of some 3 GHz: a line from the last level at 40 GB/s, from the
/// second at 130, a stored past the caches at 20; a miss that nothing fetches ahead; 4 instructions on
/// vectors, 12 on scalars a nanosecond, of which several go on at a time; a loop that begins; a region of
/// threads, a group.
constexpr CostWeights kByItself{3, 1.5, 0.5, 3, 0.25, 0.08, 4, 2700, 0.6, 0.5, 0.1, 10};
double one_of(const KernelCosts& costs, std::size_t i) { return i < kCosts ? costs[i] : 1; }

/// Rows times weights that are to be 1, with weights that are not negative.
class LeastSquares {
 public:
  void add(const std::array<double, kAll>& row, double counts) {
    for (std::size_t i = 0; i < kAll; ++i) {
      sums_[i] += counts * row[i];
      for (std::size_t j = 0; j < kAll; ++j) products_[i][j] += counts * row[i] * row[j];
    }
  }
  /// Coordinate descent on the normal equations, each weight kept from becoming negative, and near to what is
  /// known of it.
  CostWeights solved(double known) const {
    constexpr int kRounds = 2000;
    CostWeights weights{};
    for (int round = 0; round < kRounds; ++round)
      for (std::size_t i = 0; i < kAll; ++i) {
        double others = 0;
        for (std::size_t j = 0; j < kAll; ++j)
          if (j != i) others += products_[i][j] * weights[j];
        const double pull = known / (kByItself[i] * kByItself[i]), all = products_[i][i] + pull;
        if (all > 0) weights[i] = std::max(0.0, (sums_[i] - others + pull * kByItself[i]) / all);
      }
    return weights;
  }

 private:
  std::array<std::array<double, kAll>, kAll> products_{};
  CostWeights sums_{};
};

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

CostWeights fitted(const std::vector<std::vector<TimedCosts>>& spaces, double known) {
  constexpr int kRounds = 8;
  std::vector<double> slower(spaces.size(), 1);  // than measured, by a space
  CostWeights weights{};
  for (int round = 0; round < kRounds; ++round) {
    LeastSquares problem;
    for (std::size_t s = 0; s < spaces.size(); ++s)
      for (const TimedCosts& k : spaces[s]) {
        std::array<double, kAll> row{};
        for (std::size_t i = 0; i < kAll; ++i) row[i] = one_of(k.costs, i) / (k.us * slower[s]);
        problem.add(row, 1 / static_cast<double>(spaces[s].size()));
      }
    weights = problem.solved(known);
    double mean = 0;
    for (std::size_t s = 0; s < spaces.size(); ++s) {
      std::vector<double> ratios{};
      for (const TimedCosts& k : spaces[s]) ratios.push_back(expected_us(k.costs, weights) / k.us);
      std::sort(ratios.begin(), ratios.end());
      slower[s] = ratios.empty() ? 1 : std::max(1e-9, ratios[ratios.size() / 2]);
      mean += std::log(slower[s]) / static_cast<double>(spaces.size());
    }
    for (double& s : slower) s /= std::exp(mean);
  }
  return weights;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return 0;
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (const auto [r, s] : ranges::views::zip(x, y)) {
    xy += (r - mean) * (s - mean);
    xx += (r - mean) * (r - mean), yy += (s - mean) * (s - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

const CostWeights& default_weights(bool grid) {
  static const CostWeights processors{3.202, 0,    0.4091, 2.592, 0.2481, 0.07682,
                                      4.054, 2243, 0.6,    0.5,   0.1,    10.48};
  static const CostWeights grids{3.155, 0.1534, 0.4962, 2.04, 0.2036, 0.06046,
                                 3.212, 2322,   0.5229, 0.5,  0.1,    10.71};
  return grid ? grids : processors;
}

}  // namespace lift
