// The host's side of patterns: typed views of arrays and parallel loops, for fills and references.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "patterns/pattern.hpp"

namespace lift::host {

/// Calls f(begin, end) for contiguous chunks of [0, n), one a hardware thread.
void parallel_for(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& f);

/// Calls f with a zero of the C++ type of `s`, which must be f32 or f64.
template <class F>
void with_float(Scalar s, F&& f) {
  if (s == f32)
    f(float{});
  else
    f(double{});
}

/// Lengths of an array type, outermost first; they must be constants.
std::vector<std::int64_t> lengths(const Type& type);
/// Number of scalars in an array (1 for a scalar).
std::int64_t count(const Type& type);

/// The argument of that name; InternalError when there is none.
const HostArray& argument(const std::vector<HostArray>& arguments, const std::string& name);
/// Value of a scalar argument.
double scalar(const std::vector<HostArray>& arguments, const std::string& name);
/// Copies all elements; both have the same type.
void copy(const HostArray& from, const HostArray& to);

}  // namespace lift::host
