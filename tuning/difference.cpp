#include "tuning/difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <type_traits>

#include "patterns/host_data.hpp"

namespace lift {
namespace {

/// Below this, bounds are rounding of their own.
constexpr double kLeastBound = 1e-37;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

template <class T>
bool is_poison(const T& x) {
  unsigned char bytes[sizeof(T)], wanted[sizeof(T)];
  std::memcpy(bytes, &x, sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i)
    wanted[i] = static_cast<unsigned char>(kPoison >> (8 * (i % 4)));
  return std::memcmp(bytes, wanted, sizeof(T)) == 0;
}

/// Of one element: a difference of numbers, 0 for the same bits, infinite where one of the two is no number.
template <class T>
double distance(T a, T b) {
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  const double d = std::abs(x - y);
  return std::isfinite(d) ? d : kInfinite;
}

/// What numbers are held against.
struct Against {
  const float* bounds;  ///< may be null
  double mean, tolerance;
  double floor() const { return std::max(mean, std::numeric_limits<double>::min()); }
};

template <class T>
Difference compare_each(const T* a, const T* b, std::int64_t begin, std::int64_t end, const Against& with) {
  Difference r;
  const double floor = with.floor();
  for (std::int64_t i = begin; i < end; ++i) {
    const auto y = static_cast<double>(b[i]);
    if (!std::isfinite(y)) ++r.no_numbers;
    if constexpr (sizeof(T) >= 4)
      if (is_poison(a[i]) && !is_poison(b[i])) ++r.unwritten;
    const double d = distance(a[i], b[i]);
    if (d == 0) continue;
    const double scale = std::max(std::abs(y), floor);
    const double bound = with.bounds != nullptr ? static_cast<double>(with.bounds[i]) : kInfinite;
    const double allowed = std::isfinite(bound) ? std::max(bound, kLeastBound) : with.tolerance * scale;
    r.error = std::max(r.error, std::isfinite(y) ? d / scale : kInfinite);
    r.excess = std::max(r.excess, allowed > 0 && d < kInfinite ? d / allowed : kInfinite);
  }
  return r;
}

/// Elements that are compared together, in vectors. All results are compared before anything is timed, so
/// that has to be about as fast as the kernels.
constexpr int kBlock = 32;

/// Whether the elements of a block are finite numbers (so none is the poison) and none is further off than
/// those before it, whose largest ratios are `error` and `excess`: no division is needed to know.
template <class T, bool bounded>
bool is_no_worse(const T* a, const T* b, const float* bounds, double floor, double tolerance, double error,
                 double excess) {
  std::int64_t worse = 0;
  for (int i = 0; i < kBlock; ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    const double d = std::abs(x - y), size = std::abs(y), scale = size < floor ? floor : size;
    double allowed = tolerance * scale;
    if constexpr (bounded) {
      const auto bound = static_cast<double>(bounds[i]);
      allowed = bound < kInfinite ? (bound < kLeastBound ? kLeastBound : bound) : allowed;
    }
    worse += d <= error * scale && d <= excess * allowed && size < kInfinite ? 0 : 1;  // also where d is NaN
  }
  return worse == 0;
}

template <class T, bool bounded>
Difference compare_blocks(const T* a, const T* b, std::int64_t begin, std::int64_t end, const Against& with) {
  const double floor = with.floor();
  Difference r;
  for (; begin + kBlock <= end; begin += kBlock)
    if (!is_no_worse<T, bounded>(a + begin, b + begin, bounded ? with.bounds + begin : nullptr, floor,
                                 with.tolerance, r.error, r.excess))
      r = worse(r, compare_each(a, b, begin, begin + kBlock, with));
  return worse(r, compare_each(a, b, begin, end, with));
}

template <class T>
Difference compare(const T* a, const T* b, std::int64_t begin, std::int64_t end, const Against& with) {
  if constexpr (std::is_floating_point_v<T>)
    if (with.tolerance > 0)
      return with.bounds != nullptr ? compare_blocks<T, true>(a, b, begin, end, with)
                                    : compare_blocks<T, false>(a, b, begin, end, with);
  return compare_each(a, b, begin, end, with);
}

}  // namespace

void poison(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  for (std::size_t i = 0; i + 4 <= bytes; i += 4) std::memcpy(at + i, &kPoison, 4);
  std::memcpy(at + bytes / 4 * 4, &kPoison, bytes % 4);
}

Difference worse(const Difference& a, const Difference& b) {
  return {std::max(a.error, b.error), std::max(a.excess, b.excess), a.unwritten + b.unwritten,
          a.no_numbers + b.no_numbers, a.elements + b.elements};
}

Difference difference(Scalar type, const void* a, const void* b, const float* bounds, std::int64_t n,
                      double mean, double tolerance) {
  std::mutex mutex;
  Difference all;
  const auto part = [&]<class T>(T, std::int64_t begin, std::int64_t end) {
    const Difference mine = compare(static_cast<const T*>(a), static_cast<const T*>(b), begin, end,
                                    Against{bounds, mean, tolerance});
    const std::lock_guard lock(mutex);
    all = worse(all, mine);
  };
  host::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
    with_scalar(type == boolean ? u8 : type, [&](auto zero) { part(zero, begin, end); });  // any byte
  });
  all.elements = n;
  return all;
}

}  // namespace lift
