#include "tuning/problem_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "ir/error.hpp"
#include "patterns/host_data.hpp"

namespace lift {
namespace {

template <class T>
double mean_magnitude(const T* b, std::int64_t n) {
  std::mutex mutex;
  double sum = 0;
  host::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
    double mine = 0;
    for (std::int64_t i = begin; i < end; ++i) mine += std::abs(static_cast<double>(b[i]));
    const std::lock_guard lock(mutex);
    sum += mine;
  });
  return n > 0 && std::isfinite(sum) ? sum / static_cast<double>(n) : 0;
}

template <class T>
double relative_error(const T* a, const T* b, std::int64_t n, double mean) {
  std::mutex mutex;
  double worst = 0;
  const double floor = std::max(mean, std::numeric_limits<double>::min());
  host::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
    double mine = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double error = std::abs(x - y) / std::max(std::abs(y), floor);
      mine = std::isfinite(error) ? std::max(mine, error) : std::numeric_limits<double>::infinity();
    }
    const std::lock_guard lock(mutex);
    worst = std::max(worst, mine);
  });
  return worst;
}

/// f(zero of the C++ type) for the array's scalars.
template <class F>
double with_numbers(const HostArray& a, const F& f) {
  const Scalar s = element_of(a.type).scalar();
  return with_scalar(s == boolean ? u8 : s, f);  // a truth value may be any byte that a kernel wrote
}

}  // namespace

std::size_t bytes_of(const Type& type) {
  return static_cast<std::size_t>(host::count(type)) * size_of(element_of(type).scalar());
}

OwnedArray::OwnedArray(const std::string& name, const Type& type, int threads)
    : buffer_(bytes_of(type), BufferOptions{threads, -1}), view_{name, type, buffer_.data()} {}

ProblemData::ProblemData(const Pattern& pattern, const Problem& problem, const Program& program,
                         int threads) {
  for (const Expr& argument : program.arguments) {
    arrays_.emplace_back(param_name(argument), argument.type(), threads);
    views_.push_back(arrays_.back().view());
    pattern.fill(problem, views_.back());
  }
}

void ProblemData::vary(std::uint64_t seed) {
  std::uint64_t state = seed;
  const auto next = [&] {  // in [-1, 1); a linear congruence (Knuth's MMIX)
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 40) * 0x1p-23 - 1;
  };
  const auto move = [&](auto* data, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      data[i] =
          static_cast<std::remove_reference_t<decltype(*data)>>(data[i] * (1 + next() / 16) + next() / 100);
  };
  for (const HostArray& a : views_) {
    if (!a.type.is_array()) continue;
    const std::int64_t n = host::count(a.type);
    if (element_of(a.type).scalar() == f32) move(static_cast<float*>(a.data), n);
    if (element_of(a.type).scalar() == f64) move(static_cast<double*>(a.data), n);
  }
}

const HostArray* ProblemData::find(const std::string& name) const {
  const auto it =
      std::find_if(views_.begin(), views_.end(), [&](const HostArray& a) { return a.name == name; });
  return it == views_.end() ? nullptr : &*it;
}

double mean_magnitude(const HostArray& b) {
  return with_numbers(
      b, [&]<class T>(T) { return mean_magnitude(static_cast<const T*>(b.data), host::count(b.type)); });
}

double relative_error(const HostArray& a, const HostArray& b, double mean) {
  if (!(a.type == b.type))
    throw InternalError("verification: " + a.type.str() + " compared with " + b.type.str());
  return with_numbers(a, [&]<class T>(T) {
    return relative_error(static_cast<const T*>(a.data), static_cast<const T*>(b.data), host::count(a.type),
                          mean);
  });
}

double relative_error(const HostArray& a, const HostArray& b) {
  return relative_error(a, b, mean_magnitude(b));
}

double tolerance(Scalar type) { return type == Scalar::f32 ? 1e-5 : type == Scalar::f64 ? 1e-12 : 0; }

}  // namespace lift
