// How far to go along the correction that a coarser grid proposes. Where coefficients vary by much from one
// coarse cell to the next, coarse grids have a weaker or stronger A than the fine one, and what they propose
// is too long or too short; the step that leaves the least energy is neither (Reusken, Steplength
// optimization and linear multigrid methods, 1991).
#pragma once

#include <cmath>
#include <map>

#include "gmg/chunks.hpp"

namespace lift::gmg {

/// The t for which u + t e has the least energy, (u, A u) / 2 - (f, u), A being symmetric and positive:
/// (e, f - A u) / (e, A e), in which (e, A u) is (A e, u). 1 where there is no such minimum.
template <class T>
double best_step(std::span<const T> e, std::span<const T> ae, std::span<const T> u, std::span<const T> f) {
  std::map<std::size_t, std::pair<double, double>> sums;  // by where a chunk begins: the same in each run
  std::mutex mutex;
  in_chunks(e.size(), [&](std::size_t begin, std::size_t end) {
    double falls = 0, curves = 0;
    for (std::size_t x = begin; x < end; ++x) {
      const double ex = e[x], aex = ae[x];
      falls += ex * f[x] - aex * u[x], curves += ex * aex;
    }
    const std::lock_guard lock(mutex);
    sums[begin] = {falls, curves};
  });
  double falls = 0, curves = 0;
  for (const auto& [begin, sum] : sums) falls += sum.first, curves += sum.second;
  return falls > 0 && curves > 0 && std::isfinite(falls / curves) ? falls / curves : 1;
}

/// u + t e becomes u.
template <class T>
void go(std::span<T> u, double t, std::span<const T> e) {
  in_chunks(u.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t x = begin; x < end; ++x) u[x] += static_cast<T>(t) * e[x];
  });
}

}  // namespace lift::gmg
