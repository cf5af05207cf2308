// Our own loops over the elements of arrays.
#pragma once

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

}  // namespace lift::gmg
