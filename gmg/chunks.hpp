// Our own loops over the elements of arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

#include "runtime/parallel.hpp"

namespace lift::gmg {

/// f(begin, end) for chunks of [0, n): one, or one a thread where there are elements enough for that.
inline void in_chunks(std::size_t n, const std::function<void(std::size_t, std::size_t)>& f) {
  constexpr std::size_t worth_threads = 1 << 18;
  if (n < worth_threads)
    f(0, n);
  else
    parallel_for_chunks(n, 0, f);
}

inline void fill(std::span<double> x, double value) {
  in_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(end),
              value);
  });
}

/// The largest of f(element); `least` where there is none larger.
template <class F>
double largest_of(std::span<const double> x, double least, const F& f) {
  std::mutex mutex;
  double all = least;
  in_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
    double most = least;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, f(x[i]));
    const std::lock_guard lock(mutex);
    all = std::max(all, most);
  });
  return all;
}

/// The least and the largest element; infinities, the other way round, where there is none. Four at a time:
/// comparing takes longer than loading.
inline std::pair<double, double> range_of(std::span<const double> x) {
  std::mutex mutex;
  std::pair<double, double> all{HUGE_VAL, -HUGE_VAL};
  in_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
    double least[4], most[4];
    std::fill(least, least + 4, HUGE_VAL), std::fill(most, most + 4, -HUGE_VAL);
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (std::size_t lane = 0; lane < 4; ++lane)
        least[lane] = std::min(least[lane], x[i + lane]), most[lane] = std::max(most[lane], x[i + lane]);
    for (; i < end; ++i) least[0] = std::min(least[0], x[i]), most[0] = std::max(most[0], x[i]);
    const std::lock_guard lock(mutex);
    all.first = std::min(all.first, *std::min_element(least, least + 4));
    all.second = std::max(all.second, *std::max_element(most, most + 4));
  });
  return all;
}

}  // namespace lift::gmg
