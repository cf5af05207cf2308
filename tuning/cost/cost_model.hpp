// The time that a kernel is expected to take: what it costs (kernel_costs.hpp), times what each of that
// takes. The weights are not negative and fitted to recorded spaces; they are only good enough to say which
// of two kernels of one program is the faster, and which are far behind.
#pragma once

#include <vector>

#include "tuning/cost/kernel_costs.hpp"

namespace lift {

/// Microseconds a thousand of each, and in the end of a call.
using CostWeights = std::array<double, kCostNames.size() + 1>;

/// Fitted to the recordings in bench/data, see docs/results.
const CostWeights& default_weights(bool grid);

/// In microseconds.
double expected_us(const KernelCosts& costs, const CostWeights& weights);

/// A kernel with its time.
struct TimedCosts {
  KernelCosts costs;
  double us = 0;
};
/// The weights for which the squares of the relative errors are least, over the kernels of several spaces:
/// each space counts alike, and may be faster or slower altogether than is expected of it, since only kernels
/// of one space are held against each other. `known`: how much it counts beside them how far each weight is
/// from what it takes by itself, in shares of that; what spaces do not tell apart (traffic, where all kernels
/// move the same) is then not thought to be free.
CostWeights fitted(const std::vector<std::vector<TimedCosts>>& spaces, double known = 0.1);

/// Spearman's: 1 where both rise together, 0 where they have nothing to do with each other. Of equally many;
/// ties share their ranks. 0 for less than three.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace lift
