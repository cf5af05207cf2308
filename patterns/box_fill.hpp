// The benchmark problem's data: arrays that sample smooth, periodic functions over a box, nowhere constant.
#pragma once

#include <array>

#include "patterns/pattern.hpp"

namespace lift {

/// mean + amplitude * the product over the axes of s, s(x) = sin(2 pi (waves x + phase)), over the unit cube
/// of a box.
struct Wave {
  double mean, amplitude;
  int waves;
  std::array<double, 3> phase;  ///< for k, j, i; fractions of a period
};
extern const Wave phi_wave, rhs_wave;

/// Samples a wave at the cells' centres of the problem's boxes with a ghost zone of `ghost` cells, which it
/// continues; `faces` is the axis of face-centred points, -1 for none. Later boxes are shifted, so that no
/// two are alike.
void fill_wave(const Problem& p, std::int64_t ghost, const HostArray& array, const Wave& wave,
               int faces = -1);

/// Fills an argument by its name: the arrays phi, next (as phi), prev, rhs, lphi, res, alpha, beta_i, beta_j,
/// beta_k, lambda and the scalars a = 1, b_h2inv = 1/2, w = 2/3, color = 0, boundary_value = 3/4, c1 and c2
/// of Chebyshev steps. alpha and beta lie within [0.7, 1.3]; lambda = 1 / (a * alpha + b_h2inv * (sum of beta
/// over the cell's faces)), the inverse diagonal of an interior cell of the variable-coefficient operator.
void fill_box_argument(const Problem& p, const HostArray& argument);

}  // namespace lift
