#include "tuning/difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

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

template <class T>
Difference compare(const T* a, const T* b, const float* bounds, std::int64_t begin, std::int64_t end,
                   double mean, double tolerance) {
  Difference r;
  const double floor = std::max(mean, std::numeric_limits<double>::min());
  for (std::int64_t i = begin; i < end; ++i) {
    const auto y = static_cast<double>(b[i]);
    if (!std::isfinite(y)) ++r.no_numbers;
    if constexpr (sizeof(T) >= 4)
      if (is_poison(a[i]) && !is_poison(b[i])) ++r.unwritten;
    const double d = distance(a[i], b[i]);
    if (d == 0) continue;
    const double scale = std::max(std::abs(y), floor);
    const double bound = bounds != nullptr ? static_cast<double>(bounds[i]) : kInfinite;
    const double allowed = std::isfinite(bound) ? std::max(bound, kLeastBound) : tolerance * scale;
    r.error = std::max(r.error, std::isfinite(y) ? d / scale : kInfinite);
    r.excess = std::max(r.excess, allowed > 0 ? d / allowed : kInfinite);
  }
  return r;
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
    const Difference mine =
        compare(static_cast<const T*>(a), static_cast<const T*>(b), bounds, begin, end, mean, tolerance);
    const std::lock_guard lock(mutex);
    all = worse(all, mine);
  };
  host::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
    switch (type) {
      case Scalar::f32:
        return part(float{}, begin, end);
      case Scalar::f64:
        return part(double{}, begin, end);
      case Scalar::i32:
        return part(std::int32_t{}, begin, end);
      case Scalar::boolean:
        return part(std::uint8_t{}, begin, end);
    }
  });
  all.elements = n;
  return all;
}

}  // namespace lift
